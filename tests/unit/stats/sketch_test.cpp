// SPDX-License-Identifier: MIT
#include <slo/stats/sketch.hpp>

#define BOOST_TEST_MODULE stats_sketch
#include <boost/test/unit_test.hpp>

#include <slo/base/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace slo;
using stats::QuantileSketch;

namespace {

// A fixed spread of values over several powers of ten.
std::vector<double> spread(int count, double scale)
{
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(scale * std::exp(8 * std::sin(i * 0.7391)));
    return values;
}

QuantileSketch sketch_of(const std::vector<double>& values)
{
    QuantileSketch sketch;
    for (const double value : values)
        sketch.add(value);
    return sketch;
}

void check_error(const QuantileSketch& sketch, std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    BOOST_TEST(sketch.count() == static_cast<std::int64_t>(values.size()));
    for (const double q : {0.0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        const double exact = stats::quantile_sorted(values, q);
        BOOST_TEST(std::abs(sketch.quantile(q).value() - exact) <= 0.005001 * std::abs(exact),
                   "quantile " << q << ": " << sketch.quantile(q).value() << " for " << exact);
    }
}

json::object record_of(const char* text)
{
    return parse_json(text).as_object();
}

} // namespace

BOOST_AUTO_TEST_CASE(relative_error_holds)
{
    check_error(sketch_of(spread(5000, 1)), spread(5000, 1));
    check_error(sketch_of(spread(777, 1e-4)), spread(777, 1e-4));
    check_error(sketch_of(spread(777, -3)), spread(777, -3));
    check_error(sketch_of({2}), {2});
    check_error(sketch_of({1, 1000}), {1, 1000});
}

BOOST_AUTO_TEST_CASE(each_value_lies_in_the_bin_that_the_formula_says)
{
    const double log_gamma = std::log(1.005 / 0.995);
    const auto check = [&](double value) {
        const auto bin =
            static_cast<std::int64_t>(std::ceil(std::log(value / QuantileSketch::smallest) / log_gamma)) + 1;
        for (const int sign : {1, -1}) {
            const auto record = sketch_of({sign * value}).to_record();
            BOOST_REQUIRE_EQUAL(record.at("bins").as_array().at(0).as_array().at(0).as_int64(), sign * bin);
        }
    };
    // Around the bounds of bins, where the last digit of a logarithm decides.
    for (int k = 0; k < 4800; k += 7) {
        double value = QuantileSketch::smallest * std::exp(log_gamma * k) * (1 + 1e-15);
        for (int step = 0; step < 12; ++step) {
            check(value);
            value = std::nextafter(value, 0.0);
            if (value < QuantileSketch::smallest)
                break;
        }
    }
    for (const double value : spread(2000, 1))
        check(value);
}

BOOST_AUTO_TEST_CASE(order_does_not_matter)
{
    auto values = spread(800, 1);
    values.push_back(0);
    values.push_back(-5);
    values.push_back(1e12);
    auto backwards = values;
    std::reverse(backwards.begin(), backwards.end());
    BOOST_TEST(to_json(sketch_of(values).to_record()) == to_json(sketch_of(backwards).to_record()));
    auto merged = sketch_of({1e-9});
    merged.merge(sketch_of({-1e12}));
    merged.merge(sketch_of({1e12}));
    BOOST_TEST(to_json(merged.to_record()) == to_json(sketch_of({1e12, 1e-9, -1e12}).to_record()));
}

BOOST_AUTO_TEST_CASE(merging_is_counting_together)
{
    auto a = sketch_of(spread(1000, 1));
    const auto b = sketch_of(spread(300, 20));
    a.merge(b);
    a.merge(QuantileSketch());
    auto both = spread(1000, 1);
    const auto more = spread(300, 20);
    both.insert(both.end(), more.begin(), more.end());
    BOOST_TEST(to_json(a.to_record()) == to_json(sketch_of(both).to_record()));
    check_error(a, both);
}

BOOST_AUTO_TEST_CASE(zeros_negatives_and_extremes)
{
    auto sketch = sketch_of({-2, 0, 0, 1e-12, 5});
    BOOST_TEST(sketch.quantile(0.5).value() == 0);
    BOOST_TEST(sketch.quantile(0).value() == -2);
    BOOST_TEST(sketch.quantile(1).value() == 5);
    sketch.add(std::numeric_limits<double>::quiet_NaN());
    sketch.add(std::numeric_limits<double>::infinity());
    BOOST_TEST(sketch.count() == 5);
    sketch.add(1e300);
    BOOST_TEST(sketch.quantile(1).value() == 1e300);
    BOOST_TEST(!QuantileSketch().quantile(0.5));
}

BOOST_AUTO_TEST_CASE(through_its_record)
{
    for (const auto& values : {std::vector<double>{}, {0.0}, {-1.5, 0.0, 3.25}, spread(500, 1)}) {
        const auto text = to_json(sketch_of(values).to_record());
        const auto back = QuantileSketch::from_record(parse_json(text).as_object());
        BOOST_TEST(to_json(back.to_record()) == text);
        BOOST_TEST((back.quantile(0.5) == sketch_of(values).quantile(0.5)));
    }
}

BOOST_AUTO_TEST_CASE(hostile_records_are_refused)
{
    const auto refused = [](const char* text) {
        BOOST_CHECK_THROW(QuantileSketch::from_record(record_of(text)), InputError);
    };
    refused("{}");
    refused(R"({"relative_error":0.01,"count":0,"bins":[]})");
    refused(R"({"relative_error":0.005,"count":1,"bins":[]})");
    refused(R"({"relative_error":0.005,"count":2,"min":1,"max":1,"bins":[[2074,1]]})");
    refused(R"({"relative_error":0.005,"count":1,"min":null,"max":null,"bins":[[0,1]]})");
    refused(R"({"relative_error":0.005,"count":1,"min":5,"max":5,"bins":[[0,1]]})");
    refused(R"({"relative_error":0.005,"count":1,"min":0,"max":0,"bins":[[99999,1]]})");
    refused(R"({"relative_error":0.005,"count":-1,"min":0,"max":0,"bins":[[0,-1]]})");
    refused(R"({"relative_error":0.005,"count":1,"min":0,"max":0,"bins":[[0,1.5]]})");
    refused(R"({"relative_error":0.005,"count":2,"min":0,"max":0,"bins":[[0,1],[0,1]]})");
    refused(R"({"relative_error":0.005,"count":2,"min":0,"max":0,"bins":[0,1]})");
    refused(
        R"({"relative_error":0.005,"count":9007199254740992,"min":0,"max":0,"bins":[[0,9007199254740992]]})");
    BOOST_CHECK_NO_THROW(QuantileSketch::from_record(
        record_of(R"({"relative_error":0.005,"count":1,"min":0,"max":0,"bins":[[0,1]]})")));
}

BOOST_AUTO_TEST_CASE(the_number_above_a_limit_has_bounds_that_hold)
{
    const auto values = spread(2000, -2);
    auto more = spread(3000, 1);
    more.insert(more.end(), values.begin(), values.end());
    const auto sketch = sketch_of(more);
    for (const double limit : more) {
        const auto truth = std::count_if(more.begin(), more.end(), [&](double v) { return v >= limit; });
        const auto bounds = sketch.above(limit);
        BOOST_REQUIRE(bounds.least <= truth);
        BOOST_REQUIRE(bounds.most >= truth);
        const auto near = std::count_if(more.begin(), more.end(), [&](double v) {
            return std::abs(v - limit) <= 0.0101 * std::abs(limit);
        });
        BOOST_REQUIRE(bounds.most - bounds.least <= near);
    }
}

BOOST_AUTO_TEST_CASE(beyond_the_extremes_the_number_above_a_limit_is_exact)
{
    const auto bounds = [](std::vector<double> values, double limit) {
        const auto found = sketch_of(values).above(limit);
        return std::to_string(found.least) + " " + std::to_string(found.most);
    };
    BOOST_TEST(bounds({}, 1) == "0 0");
    BOOST_TEST(bounds({1, 2, 3}, 1) == "3 3");
    BOOST_TEST(bounds({1, 2, 3}, 0.5) == "3 3");
    BOOST_TEST(bounds({1, 2, 3}, 3.0001) == "0 0");
    BOOST_TEST(bounds({1, 2, 3}, std::numeric_limits<double>::infinity()) == "0 0");
    BOOST_TEST(bounds({1, 2, 3}, 1.5) == "2 2");
    BOOST_TEST(bounds({1, 2, 2, 3}, 2) == "1 3");
    // All in one bin: the extremes still are what they are.
    BOOST_TEST(bounds({1, 1.0001, 1.0002}, 1.00005) == "1 2");
    BOOST_TEST(bounds({0, 1e-12, 5}, 1e-13) == "1 2");
}

BOOST_AUTO_TEST_CASE(mean_within_the_relative_error)
{
    slo::stats::QuantileSketch sketch;
    BOOST_TEST(sketch.mean() == 0);
    double sum = 0;
    for (int i = 1; i <= 1000; ++i) {
        const double value = std::exp(0.01 * i);
        sum += value;
        sketch.add(value);
    }
    BOOST_TEST(std::abs(sketch.mean() / (sum / 1000) - 1) <= slo::stats::QuantileSketch::relative_error);
}
