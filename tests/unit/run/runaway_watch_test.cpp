// SPDX-License-Identifier: MIT
#include <slo/run/runaway_watch.hpp>

#define BOOST_TEST_MODULE run_runaway_watch
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using slo::record::ErrorKind;
using slo::record::Request;
using slo::record::RequestStatus;

namespace {

struct Fixture {
    std::vector<std::string> alarms;
    slo::run::RunawayWatch watch{1.0, [this](const std::string& reason) { alarms.push_back(reason); }};

    void round(double latency_s, RequestStatus status = RequestStatus::ok)
    {
        slo::record::WindowTotals totals({});
        for (int i = 0; i < 5; ++i) {
            Request request;
            request.status = status;
            request.sent_s = 0;
            request.end_s = latency_s;
            totals.add(request);
        }
        watch.finished(totals);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(runaway_watch, Fixture)

BOOST_AUTO_TEST_CASE(latency_without_bound_is_told_once)
{
    for (const double p50_s : {1.0, 5.0, 11.0, 20.0, 40.0})
        round(p50_s);
    BOOST_REQUIRE_EQUAL(alarms.size(), 1U);
    BOOST_TEST(alarms[0].find("11.000 s") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_steady_run_is_left_alone)
{
    for (const double p50_s : {0.9, 1.1, 1.0, 1.05, 0.95})
        round(p50_s);
    BOOST_TEST(alarms.empty());
}

BOOST_AUTO_TEST_CASE(timeouts_count_as_they_come)
{
    Request late;
    late.status = RequestStatus::failed;
    late.error_kind = ErrorKind::timeout;
    const Request fine;
    watch.ended(std::vector<Request>(100, fine));
    watch.ended(std::vector<Request>(49, late));
    BOOST_TEST(alarms.empty());
    watch.ended({late});
    BOOST_TEST(alarms.size() == 1U);
}

BOOST_AUTO_TEST_CASE(silence_is_told)
{
    round(1, RequestStatus::failed);
    BOOST_TEST(alarms.empty());
    round(1, RequestStatus::failed);
    BOOST_TEST(alarms.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
