// SPDX-License-Identifier: MIT
// Exact timestamps, units by magnitude, UTC stamps.

#include <slo/record/timestamp.hpp>

#define BOOST_TEST_MODULE record_timestamp
#include <boost/test/unit_test.hpp>

#include <string>

using slo::record::Timestamp;
using slo::record::TsUnit;

BOOST_AUTO_TEST_CASE(numbers_are_kept_exactly)
{
    const auto ns = [](std::string_view text, TsUnit unit) {
        const auto parsed = Timestamp::parse(text);
        return parsed ? parsed->to_ns(unit).value_or(-2) : -1;
    };
    BOOST_TEST(ns("1760000000000000007", TsUnit::ns) == 1760000000000000007);
    BOOST_TEST(ns("1760000000.250", TsUnit::s) == 1760000000250000000);
    BOOST_TEST(ns("1760000000.123456789999", TsUnit::s) == 1760000000123456789);
    BOOST_TEST(ns("1760000000250.000007", TsUnit::ms) == 1760000000250000007);
    BOOST_TEST(ns("1760000000250000.007", TsUnit::us) == 1760000000250000007);
    BOOST_TEST(ns("0", TsUnit::s) == 0);
    BOOST_TEST(ns("1.5", TsUnit::s) == 1500000000);
    BOOST_TEST(ns("1.9", TsUnit::ns) == 1);
    BOOST_TEST(ns("1.76e9", TsUnit::s) == 1760000000000000000);
    BOOST_TEST(ns("176000000025E-2", TsUnit::s) == 1760000000250000000);
    BOOST_TEST(ns("25e-400", TsUnit::s) == 0);
    BOOST_TEST(ns("0.000000000000000000000001", TsUnit::s) == 0);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_nothing)
{
    for (const std::string text : {"", "-1", "-", ".", "e5", "1e401", "1e99999999999999999999", "1e", "1x",
                                   "0x10", "9223372036854775808", "1e19", "inf", "nan", " 1", "1,5"})
        BOOST_TEST(!Timestamp::parse(text), text);
    BOOST_TEST(Timestamp::parse("9223372036854775807").value().to_ns(TsUnit::ns).value() ==
               9223372036854775807);
    BOOST_TEST(Timestamp::parse("1.25").value().fraction() == 250'000'000'000'000'000);
    BOOST_TEST(!Timestamp::parse("9223372037").value().to_ns(TsUnit::s));
    BOOST_TEST(Timestamp::parse("9223372036.854775807").value().to_ns(TsUnit::s).value() ==
               9223372036854775807);
    BOOST_TEST(!Timestamp::parse("9223372036.854775808").value().to_ns(TsUnit::s));
}

BOOST_AUTO_TEST_CASE(they_are_ordered_below_the_nanosecond)
{
    BOOST_TEST((Timestamp::parse("1.1").value() < Timestamp::parse("1.2").value()));
    BOOST_TEST((Timestamp::parse("1.0000000000001").value() > Timestamp::parse("1").value()));
    BOOST_TEST((Timestamp::parse("1e1").value() == Timestamp::parse("10.000").value()));
}

BOOST_AUTO_TEST_CASE(moments_of_this_age_tell_their_unit)
{
    const auto unit = [](std::int64_t least, std::int64_t greatest) {
        const auto told = slo::record::unit_by_magnitude(Timestamp(least), Timestamp(greatest));
        return told ? std::string(name_of(*told)) : std::string("-");
    };
    BOOST_TEST(unit(1755000000, 1755000999) == "s");
    BOOST_TEST(unit(1755000000000, 1755000000999) == "ms");
    BOOST_TEST(unit(1755000000000000, 1755000000999999) == "us");
    BOOST_TEST(unit(1760000000000000007, 1760000003000000007) == "ns");
    BOOST_TEST(unit(0, 3000) == "-");
    BOOST_TEST(unit(0, 1755000000) == "-");
    BOOST_TEST(unit(1755000000, 1755000000000) == "-");
    BOOST_TEST(unit(20000000000, 20000000001) == "-");
}

BOOST_AUTO_TEST_CASE(units_have_names)
{
    for (const auto unit : {TsUnit::s, TsUnit::ms, TsUnit::us, TsUnit::ns})
        BOOST_TEST((slo::record::ts_unit_of(name_of(unit)) == unit));
    BOOST_TEST(!slo::record::ts_unit_of("sec"));
    BOOST_TEST(!slo::record::ts_unit_of(""));
}

BOOST_AUTO_TEST_CASE(stamps_are_utc)
{
    const auto ns = [](std::string_view text) {
        std::size_t length = 0;
        const auto time = slo::record::parse_utc_stamp(text, length);
        return length == 0 ? -1 : time.value_or(-2);
    };
    BOOST_TEST(ns("1970-01-01T00:00:00Z") == 0);
    BOOST_TEST(ns("2025-05-07T12:34:56Z stdout") == 1746621296000000000);
    BOOST_TEST(ns("2025-05-07T12:34:56.123Z") == 1746621296123000000);
    BOOST_TEST(ns("2025-05-07T12:34:56.1234567891Z") == 1746621296123456789);
    BOOST_TEST(ns("2024-02-29T23:59:59Z") == 1709251199000000000);
    BOOST_TEST(ns("2261-12-31T23:59:59.999999999Z") == 9214646399999999999);
    for (const std::string no_date :
         {"2025-13-07T12:34:56Z", "2025-02-29T12:34:56Z", "2025-05-07T24:00:00Z", "2025-05-07T12:60:00Z",
          "2025-05-07T12:00:60Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "2025-00-00T00:00:00Z"})
        BOOST_TEST(ns(no_date) == -2, no_date);
    for (const std::string no_stamp :
         {"", "2025", "2025-05-07 12:34:56Z", "2025-05-07T12:34:56", "2025-05-07T12:34:56+00:00",
          "2025-05-07T12:34:56.", " 2025-05-07T12:34:56Z", "2025-05-07T12:34:5xZ"})
        BOOST_TEST(ns(no_stamp) == -1, no_stamp);
}
