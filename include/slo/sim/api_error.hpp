// SPDX-License-Identifier: MIT
// Errors in the form that clients of the OpenAI API know.

#ifndef SLO_SIM_API_ERROR_HPP
#define SLO_SIM_API_ERROR_HPP

#include <slo/base/error.hpp>
#include <slo/base/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace slo::sim {

/// A request that gets an HTTP error status instead of an answer.
class ApiError : public Error {
public:
    /// `param` names the field of the body at fault, and `code` the error for programs; both may be empty.
    ApiError(int status, std::string_view message, std::string param = {}, std::string code = {})
        : Error(std::string(message)), status_(status), param_(std::move(param)), code_(std::move(code))
    {
    }

    int status() const noexcept { return status_; }

    /// The body of the response.
    std::string body() const
    {
        return to_json(json::object{{"error", json::object{{"message", what()},
                                                           {"type", type()},
                                                           {"param", text_or_null(param_)},
                                                           {"code", text_or_null(code_)}}}});
    }

private:
    const char* type() const noexcept
    {
        switch (status_) {
        case 401:
            return "authentication_error";
        case 404:
            return "not_found_error";
        case 429:
            return "rate_limit_error";
        default:
            return status_ < 500 ? "invalid_request_error" : "server_error";
        }
    }

    int status_;
    std::string param_;
    std::string code_;
};

} // namespace slo::sim

#endif
