// SPDX-License-Identifier: MIT
// A scanned row says what the parser says: the same rows, the same refusals, the same values.

#include <slo/record/row_scan.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

void require(bool condition)
{
    if (!condition)
        std::abort();
}

std::string decoded(std::string_view raw)
{
    std::string scratch;
    return std::string(slo::wire::decode_json_string(raw, scratch));
}

void require_object(const std::vector<slo::record::RowMember>& members, const slo::json::object& object)
{
    for (const auto& [key, value] : object) {
        std::string_view last;
        for (const auto& member : members) {
            if (decoded(member.key) == std::string_view(key.data(), key.size()))
                last = member.value;
        }
        require(!last.empty() && slo::parse_json(last) == value);
    }
    for (const auto& member : members)
        require(slo::find(object, decoded(member.key)) != nullptr);
}

void require_message(const slo::record::RowMessage& message, const slo::json::value& value)
{
    require(slo::parse_json(message.raw) == value);
    require(message.is_object() == value.is_object() && message.is_text() == value.is_string());
    if (!value.is_object())
        return;
    for (const auto& [raw, name] : {std::pair(message.role, "role"), std::pair(message.content, "content")}) {
        const auto* member = slo::find(value.get_object(), name);
        require(raw.empty() == (member == nullptr));
        require(!member || slo::parse_json(raw) == *member);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace slo;
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    std::optional<record::RouteRow> row;
    std::string refusal;
    try {
        const auto text = trim(line);
        row = text.starts_with('{') ? record::parse_route_object(text) : record::parse_route_log_line(text);
    } catch (const Error& error) {
        refusal = error.what();
    }
    record::RowScanner scanner;
    try {
        const bool is_row = scanner.scan(line);
        require(refusal.empty() && is_row == row.has_value());
    } catch (const Error& error) {
        require(refusal == error.what());
        return 0;
    }
    if (!row)
        return 0;
    require(scanner.ts() == row->ts && scanner.ts_text() == row->ts_text);
    require(scanner.conv_id() == row->conv_id && scanner.is_log_line() == row->utc);
    require(parse_json(scanner.body()) == json::value(row->body));
    require_object(scanner.body_members(), row->body);
    const auto whole = parse_json(scanner.text());
    require_object(scanner.members(), whole.get_object());
    require(row->utc || whole == parse_json(scanner.line()));

    const auto* prompt = find(row->body, "prompt");
    if (!prompt || prompt->is_null())
        prompt = find(row->body, "messages");
    if (!prompt || prompt->is_null()) {
        require(scanner.prompt().empty() && scanner.messages().empty());
        return 0;
    }
    require(parse_json(scanner.prompt()) == *prompt);
    const auto* list = prompt->if_array();
    require(scanner.messages().size() == (list ? list->size() : 0));
    for (std::size_t i = 0; list && i < list->size(); ++i)
        require_message(scanner.messages()[i], (*list)[i]);
    return 0;
}
