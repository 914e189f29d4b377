// SPDX-License-Identifier: MIT
// Labels as the text format of Prometheus wants them.

#ifndef SLO_BASE_PROM_LABEL_HPP
#define SLO_BASE_PROM_LABEL_HPP

#include <string>
#include <string_view>

namespace slo {

/// A label's value with what the text format wants escaped.
inline std::string escaped_label(std::string_view value)
{
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"')
            text += '\\';
        c == '\n' ? text += "\\n" : text += c;
    }
    return text;
}

} // namespace slo

#endif
