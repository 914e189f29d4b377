// SPDX-License-Identifier: MIT
// Records for a page, as lines of text.

#ifndef SLO_TESTS_SUPPORT_PAGE_RECORDS_HPP
#define SLO_TESTS_SUPPORT_PAGE_RECORDS_HPP

#include <slo/base/json_parse.hpp>
#include <slo/report/html_model.hpp>

#include <string_view>
#include <utility>

namespace slo::test {

inline void give(report::HtmlModel& model, std::string_view line)
{
    auto object = parse_json(line).as_object();
    const auto kind = report::kind_of(object);
    model.take({kind, "file", 1, std::move(object)});
}

} // namespace slo::test

#endif
