// SPDX-License-Identifier: MIT
// The order of a conversation: a request of it waits until the one before has ended.

#ifndef SLO_PLAN_SEQUENCER_HPP
#define SLO_PLAN_SEQUENCER_HPP

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slo::plan {

/// Lets one request of a conversation through at a time, in the order of arrival; different conversations,
/// and requests of the empty id, never wait. Every call takes constant time. `Request` is whatever names a
/// request.
template <class Request = std::size_t>
class Sequencer {
public:
    /// A request is due. True: it may be sent now. False: it waits, and a later finished() will return it.
    bool may_send(std::string_view conv_id, Request request)
    {
        if (conv_id.empty())
            return true;
        const auto [conversation, is_new] = conversations_.try_emplace(std::string(conv_id));
        if (is_new)
            return true;
        conversation->second.push_back(std::move(request));
        ++waiting_;
        return false;
    }

    /// A request that was let through ended, whether well or not: the next of its conversation, which may be
    /// sent now, or nothing.
    std::optional<Request> finished(std::string_view conv_id)
    {
        if (conv_id.empty())
            return std::nullopt;
        const auto conversation = conversations_.find(conv_id);
        if (conversation == conversations_.end())
            return std::nullopt;
        auto& queue = conversation->second;
        if (queue.empty()) {
            conversations_.erase(conversation);
            return std::nullopt;
        }
        auto next = std::move(queue.front());
        queue.pop_front();
        --waiting_;
        return next;
    }

    /// Takes out all that wait, in no particular order of conversations; they will not be returned any more.
    std::vector<Request> give_up()
    {
        std::vector<Request> given_up;
        given_up.reserve(waiting_);
        for (auto& [conv_id, queue] : conversations_) {
            for (auto& request : queue)
                given_up.push_back(std::move(request));
            queue.clear();
        }
        waiting_ = 0;
        return given_up;
    }

    /// Requests that wait.
    std::size_t waiting() const noexcept { return waiting_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept
        {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::unordered_map<std::string, std::deque<Request>, Hash, std::equal_to<>> conversations_;
    std::size_t waiting_ = 0;
};

} // namespace slo::plan

#endif
