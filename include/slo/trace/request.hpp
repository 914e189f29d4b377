// SPDX-License-Identifier: MIT
// What the records of all trace formats come to.

#ifndef SLO_TRACE_REQUEST_HPP
#define SLO_TRACE_REQUEST_HPP

#include <slo/base/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slo::trace {

/// One request of a trace. Its prompt is there as text or messages, or only its length is.
struct TraceRequest {
    std::optional<std::int64_t> time_ns;  ///< since the trace began, or since 1970, as its format says
    std::optional<std::int64_t> delay_ns; ///< after the request of its conversation before it
    std::string conversation;             ///< empty: it belongs to none
    json::value prompt;                   ///< a text, a message list; null: only its length is known
    std::string_view prompt_key = "prompt";
    bool is_delta = false;          ///< the prompt holds what is new; the conversation so far comes before it
    bool ends_conversation = false; ///< no request of its conversation comes after it
    std::optional<std::string> answer; ///< as recorded
    std::optional<std::int64_t> input_tokens;
    std::optional<std::int64_t> output_tokens;
    std::vector<std::uint64_t> hash_ids;   ///< one for each block of the prompt; equal ones have equal text
    std::optional<std::int64_t> chat_id;   ///< where requests name the one that they follow
    std::optional<std::int64_t> parent_id; ///< of the request that this one follows
    json::object body;                     ///< other members of the request's body
    json::object source;                   ///< fields of the record that mean nothing to a request
};

/// What one record gave.
struct TraceRecord {
    std::size_t line = 0; ///< 1-based, on which it begins
    std::vector<TraceRequest> requests;
    std::vector<const char*> skipped; ///< for each part left out, why: constants
    bool mended = false;              ///< halves of surrogate pairs in it were replaced by U+FFFD
    std::string bad;                  ///< why the record is malformed; else empty
    std::string where;                ///< "file:line: reason", when it is malformed
};

/// What a format leaves to the user.
struct ParseOptions {
    bool first_turn_only = false;  ///< of a conversation, only its first question and answer
    std::int64_t block_tokens = 0; ///< tokens that a hash id stands for; 0: as the format has it
};

} // namespace slo::trace

#endif
