// SPDX-License-Identifier: MIT
// Made-up engines to try things on.

#ifndef SLO_ENGINE_NAMED_PROFILE_HPP
#define SLO_ENGINE_NAMED_PROFILE_HPP

#include <slo/engine/lengths.hpp>
#include <slo/engine/profile.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace slo::engine {

/// The names that named_profile() knows.
inline constexpr std::array<std::string_view, 7> profile_names{"small", "chat",       "rag",     "drifting",
                                                               "dip",   "heavy-tail", "refusing"};

namespace detail {

inline Profile chat_profile()
{
    return {"chat",
            "made up: a mid-sized chat model; lognormal answers",
            "sim-chat",
            {8e-3, 0.12e-3, 0.05e-3, 2e-9},
            {128, 2048, 16384, 16384, true},
            {LengthLaw::Kind::lognormal, 220, 0.6}};
}

inline std::optional<Profile> sick_profile(std::string_view name)
{
    auto profile = chat_profile();
    profile.name = std::string(name);
    if (name == "drifting") {
        profile.description = "made up: chat whose steps get longer by half in an hour";
        profile.step.drift_per_hour = 0.5;
    } else if (name == "dip") {
        profile.description = "made up: chat that is faster with 40 to 80 sequences than with fewer";
        profile.step.graph_from = 40;
        profile.step.graph_to = 80;
        profile.step.graph_factor = 0.6;
    } else if (name == "heavy-tail") {
        profile.description = "made up: chat with a few answers that are very long";
        profile.output = {LengthLaw::Kind::lognormal, 60, 1.6};
    } else if (name == "refusing") {
        profile.description = "made up: chat that refuses every request";
        profile.fail_above_running = 0;
    } else {
        return std::nullopt;
    }
    return profile;
}

} // namespace detail

/// All of them for people: "small, chat, …".
inline std::string all_profile_names()
{
    std::string names;
    for (const auto name : profile_names)
        names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

/// A profile by name, or nothing. All are made up: no real engine or card was measured for them. The last
/// four are sick, to try measuring tools on.
inline std::optional<Profile> named_profile(std::string_view name)
{
    using Kind = LengthLaw::Kind;
    if (name == "small")
        return Profile{"small",
                       "made up: a small model for short demonstrations; every answer runs to max_tokens",
                       "sim-small",
                       {6e-3, 0.4e-3, 0.03e-3, 0},
                       {128, 2048, 4096, 8192, true},
                       {Kind::limit, 64, 0}};
    if (name == "chat")
        return detail::chat_profile();
    if (name == "rag")
        return Profile{"rag",
                       "made up: a large model with long retrieved prompts and short answers",
                       "sim-rag",
                       {14e-3, 0.2e-3, 0.06e-3, 20e-9},
                       {64, 4096, 16384, 32768, true},
                       {Kind::lognormal, 120, 0.5}};
    return detail::sick_profile(name);
}

} // namespace slo::engine

#endif
