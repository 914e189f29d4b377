// SPDX-License-Identifier: MIT
// A workload card: what is to be sent, how, and what it must hold.

#ifndef SLO_CARD_CARD_HPP
#define SLO_CARD_CARD_HPP

#include <slo/base/json.hpp>
#include <slo/card/card_keys.hpp>
#include <slo/config/document.hpp>
#include <slo/io/fd.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace slo::card {

/// A card whose keys and types are checked; null counts as absent.
struct Card {
    json::object root;
    std::string name; ///< for messages
};

/// A card out of a value. Throws InputError, which names the key and the nearest known one.
inline Card make_card(json::object root, std::string name)
{
    card_keys::check_card(root, name);
    return {std::move(root), std::move(name)};
}

/// A card out of YAML or JSON. Throws InputError.
inline Card parse_card(std::string_view text, const std::string& name)
{
    return make_card(config::parse_document(text, name), name);
}

/// A card out of a file; "-" is stdin. Throws IoError, InputError.
inline Card load_card(const std::string& path)
{
    return make_card(config::load_document(path), io::display_name(path));
}

} // namespace slo::card

#endif
