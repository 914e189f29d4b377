// SPDX-License-Identifier: MIT
// What prom-diff makes of its options and files.

#include <slo/run/diff_report.hpp>

#define BOOST_TEST_MODULE run_diff_report
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo;
using namespace slo::run;

namespace {

const std::string folder = "tests/data/cases/P01-rename-and-window/";

DiffReportOptions pair_of(const std::string& before, const std::string& after)
{
    DiffReportOptions options;
    options.files = {before, after};
    return options;
}

} // namespace

BOOST_AUTO_TEST_CASE(two_files_or_two_options)
{
    const auto options = checked(pair_of("a", "b"));
    BOOST_TEST(options.before == "a");
    BOOST_TEST(options.after == "b");
    auto both = pair_of("a", "b");
    both.before = "c";
    BOOST_CHECK_THROW(checked(both), UsageError);
    BOOST_CHECK_THROW(checked({}), UsageError);
    BOOST_CHECK_THROW(checked(pair_of("-", "-")), UsageError);
    DiffReportOptions log;
    log.logs = {"-"};
    BOOST_CHECK_NO_THROW(checked(log));
    log.rounds = {"r"};
    BOOST_CHECK_THROW(checked(log), UsageError);
}

BOOST_AUTO_TEST_CASE(options_that_want_others)
{
    const auto with = [](const auto& change) {
        auto options = pair_of("a", "b");
        change(options);
        return options;
    };
    BOOST_CHECK_THROW(checked(with([](auto& o) { o.diff.hit_metric = "x"; })), UsageError);
    BOOST_CHECK_THROW(checked(with([](auto& o) { o.tolerance = -0.1; })), UsageError);
    BOOST_CHECK_THROW(checked(with([](auto& o) { o.requests_basis = "both"; })), UsageError);
    BOOST_CHECK_THROW(checked(with([](auto& o) { o.model = "m"; })), UsageError);
    BOOST_CHECK_NO_THROW(checked(with([](auto& o) { o.requests_basis = "choice_plus_one"; })));
}

BOOST_AUTO_TEST_CASE(a_report_of_two_files)
{
    const auto report = report_diff(checked(pair_of(folder + "before.prom", folder + "after.prom")));
    BOOST_TEST((report.status == record::DiffStatus::ok));
    BOOST_TEST(number_at(report.record, "hit_rate").value() == 0.75);
    BOOST_TEST(!find(report.record, "gpu"));
    BOOST_TEST(!find(report.record, "reconciliation"));
    const auto page = "tests/data/captures/74_nginx_502_upstream_down_html.txt";
    const auto broken = report_diff(checked(pair_of(folder + "before.prom", page)));
    BOOST_TEST((broken.status == record::DiffStatus::error));
    BOOST_TEST(broken.error.find("HTML") != std::string::npos);
    BOOST_CHECK_THROW(report_diff(checked(pair_of("nowhere", page))), IoError);
}
