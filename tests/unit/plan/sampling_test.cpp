// SPDX-License-Identifier: MIT
// Which conversations a range keeps, against recorded answers.

#include <slo/plan/sampling.hpp>

#define BOOST_TEST_MODULE plan_sampling
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <cmath>
#include <limits>
#include <string>

BOOST_AUTO_TEST_CASE(recorded_decisions)
{
    slo::io::LineReader lines("tests/data/routes/sampling_vectors.jsonl");
    int kept = 0;
    int refused = 0;
    while (const auto vector = slo::io::next_object(lines)) {
        const std::string conv_id(slo::string_at(*vector, "conv_id").value());
        BOOST_TEST(slo::plan::sampling_position(conv_id) == slo::number_at(*vector, "norm").value());
        for (const auto& range : *slo::array_at(*vector, "ranges")) {
            const auto& parts = range.as_array();
            const double start = slo::as_number(&parts[0]).value();
            const double end = slo::as_number(&parts[1]).value();
            if (start < 0 || start >= end || end > 1) {
                // The recorded client kept all here, where its command line never leads; ours refuses.
                BOOST_CHECK_THROW(slo::plan::SampleRange(start, end), slo::UsageError);
                ++refused;
                continue;
            }
            BOOST_TEST(slo::plan::SampleRange(start, end).keeps(conv_id) == parts[2].as_bool(), conv_id);
            ++kept;
        }
    }
    BOOST_TEST(kept > 600);
    BOOST_TEST(refused > 300);
}

BOOST_AUTO_TEST_CASE(adjacent_ranges_share_no_conversation)
{
    const slo::plan::SampleRange low(0, 0.3);
    const slo::plan::SampleRange high(0.3, 1);
    for (int i = 0; i < 1000; ++i) {
        const auto id = "conv-" + std::to_string(i);
        BOOST_TEST(low.keeps(id) != high.keeps(id));
    }
}

BOOST_AUTO_TEST_CASE(ranges_are_checked)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BOOST_CHECK_THROW(slo::plan::SampleRange(nan, 1), slo::UsageError);
    BOOST_CHECK_THROW(slo::plan::SampleRange(0, nan), slo::UsageError);
    BOOST_CHECK_THROW(slo::plan::SampleRange(0, std::numeric_limits<double>::infinity()), slo::UsageError);
    BOOST_TEST(slo::plan::SampleRange().is_all());
    BOOST_TEST(slo::plan::SampleRange(0, 1).is_all());
    BOOST_TEST(!slo::plan::SampleRange(0, 0.5).is_all());
}
