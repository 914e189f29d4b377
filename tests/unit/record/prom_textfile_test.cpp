// SPDX-License-Identifier: MIT
#include <slo/record/prom_textfile.hpp>

#define BOOST_TEST_MODULE record_prom_textfile
#include <boost/test/unit_test.hpp>

#include "../../support/totals_of_run.hpp"

#include <slo/wire/prom_text.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>

using namespace slo;

namespace {

struct Sink {
    std::map<std::string, double> values;
    std::map<std::string, wire::PromType> types;

    void sample(const wire::PromSample& sample)
    {
        std::string key(sample.name);
        for (const auto& label : sample.labels)
            key += "|" + std::string(label.name) + "=" + std::string(label.value);
        BOOST_TEST(values.emplace(key, sample.value).second, key << " stands twice");
        BOOST_TEST(!sample.timestamp_s.has_value(), "node_exporter refuses time stamps");
    }
    void type(std::string_view name, wire::PromType type)
    {
        BOOST_TEST(types.emplace(name, type).second, name << " has two types");
    }
};

record::RoundWindow window()
{
    record::RoundWindow window;
    window.number = 2;
    window.duration_s = 10;
    window.target_qps = 10;
    window.wire_dispatched = 99;
    window.completed = 98;
    window.model = "a \"model\"\\\nof two lines";
    window.client = record::ClientHealth{};
    window.client->in_flight_max = 7;
    window.client->saturated = true;
    window.client->lateness_p99_s = 0.002;
    window.flags = {"decided"};
    return window;
}

record::WindowTotals last_round()
{
    record::RoundTerms terms;
    terms.ttft_slo_ms = 100;
    record::WindowTotals totals(terms);
    for (int i = 0; i < 4; ++i) {
        record::Request request;
        request.status = record::RequestStatus::ok;
        request.sent_s = 0;
        request.first_token_s = i == 3 ? 0.5 : 0.0625;
        request.end_s = 0.25;
        totals.add(request);
    }
    return totals;
}

Sink parsed(const std::string& text)
{
    Sink sink;
    const auto report = wire::parse_prom(text, sink);
    BOOST_TEST(report.malformed_lines == 0U);
    return sink;
}

} // namespace

BOOST_AUTO_TEST_CASE(it_reads_back)
{
    const auto sink =
        parsed(record::prom_textfile(test::totals_of_run(), window(), last_round(), 1769846400.5));
    const auto value = [&](const std::string& name) {
        const auto found = sink.values.find("sloutils_replay_" + name);
        BOOST_REQUIRE_MESSAGE(found != sink.values.end(), name);
        return found->second;
    };
    BOOST_TEST(value("run_info|model=a \"model\"\\\nof two lines") == 1);
    BOOST_TEST(value("requests_total|status=ok") == 198);
    BOOST_TEST(value("requests_total|status=failed") == 2);
    BOOST_TEST(value("requests_total|status=not_sent") == 0);
    BOOST_TEST(value("errors_total|kind=reset") == 2);
    BOOST_TEST(value("errors_total|kind=http_429") == 0);
    BOOST_TEST(value("output_tokens_total") == 198 * 11);
    BOOST_TEST(value("rounds_total") == 2);
    BOOST_TEST(value("round") == 2);
    BOOST_TEST(value("last_round_timestamp_seconds") == 1769846400.5);
    BOOST_TEST(value("requests_per_second|kind=target") == 10);
    BOOST_TEST(value("requests_per_second|kind=due") == 0.4);
    BOOST_TEST(value("requests_per_second|kind=sent") == 9.9);
    BOOST_TEST(value("requests_per_second|kind=completed") == 9.8);
    BOOST_TEST(value("slo_attainment_ratio|slo=ttft") == 0.75);
    BOOST_TEST(value("round_flag|flag=decided") == 1);
    BOOST_TEST(value("client_saturated") == 1);
    BOOST_TEST(value("in_flight_max") == 7);
    BOOST_TEST(value("client_lateness_seconds") == 0.002);
    BOOST_TEST(value("ttft_seconds|quantile=0.5") == 0.0625);
    BOOST_TEST(value("e2e_latency_seconds|quantile=0.99") == 0.25);
    BOOST_TEST(value("ttft_seconds_count") == 198);
    BOOST_TEST(value("ttft_seconds_sum") == 198 * 0.05, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(value("tpot_seconds_sum") == 198 * 0.02, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(std::isnan(value("tpot_seconds|quantile=0.5"))); // no answer of two tokens in the last round
}

// What promtool check metrics complains of.
BOOST_AUTO_TEST_CASE(it_keeps_the_rules_of_the_format)
{
    const auto text = record::prom_textfile(test::totals_of_run(), window(), last_round(), 1);
    BOOST_TEST(text.ends_with('\n'));
    const auto sink = parsed(text);
    std::set<std::string> helped;
    for (std::size_t at = 0; (at = text.find("# HELP ", at)) != std::string::npos; ++at) {
        const auto name = text.substr(at + 7, text.find(' ', at + 7) - at - 7);
        BOOST_TEST(helped.insert(name).second, name);
        BOOST_TEST(text.substr(text.find('\n', at) + 1).starts_with("# TYPE " + name + " "), name);
    }
    for (const auto& [name, type] : sink.types) {
        BOOST_TEST(helped.count(name) == 1U, name);
        BOOST_TEST(name.ends_with("_total") == (type == wire::PromType::counter), name);
    }
    BOOST_TEST(helped.size() == sink.types.size());
    for (const auto& [key, value] : sink.values) {
        auto name = key.substr(0, key.find('|'));
        for (const char* suffix : {"_sum", "_count"})
            if (sink.types.count(name) == 0 && name.ends_with(suffix))
                name.resize(name.size() - std::string_view(suffix).size());
        BOOST_REQUIRE_MESSAGE(sink.types.count(name) == 1, key);
        BOOST_TEST(
            (key.find("|quantile=") == std::string::npos || sink.types.at(name) == wire::PromType::summary),
            key);
    }
}

BOOST_AUTO_TEST_CASE(a_round_without_anything_is_written_too)
{
    const auto sink = parsed(record::prom_textfile({}, {}, record::WindowTotals(record::RoundTerms()), 1));
    BOOST_TEST(sink.values.at("sloutils_replay_requests_total|status=ok") == 0);
    BOOST_TEST(std::isnan(sink.values.at("sloutils_replay_ttft_seconds|quantile=0.5")));
    BOOST_TEST(sink.values.count("sloutils_replay_client_saturated") == 0U);
}
