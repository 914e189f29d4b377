// SPDX-License-Identifier: MIT
#include <slo/base/clock.hpp>
#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/base/version.hpp>

#define BOOST_TEST_MODULE base
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <string>

BOOST_AUTO_TEST_CASE(errors_name_subject_and_reason)
{
    BOOST_TEST(std::string(slo::InputError("route.jsonl", 17, "not JSON").what()) ==
               "route.jsonl:17: not JSON");
    const slo::IoError error("x", ENOENT);
    BOOST_TEST(std::string(error.what()) == "x: No such file or directory");
    BOOST_TEST(error.error_number() == ENOENT);
}

BOOST_AUTO_TEST_CASE(clocks_go_forward_and_convert)
{
    const auto before = slo::monotonic_ns();
    BOOST_TEST(slo::monotonic_ns() >= before);
    BOOST_TEST(slo::iso8601_utc(1755000000.9) == "2025-08-12T12:00:00Z");
    BOOST_TEST(slo::to_ns(0.1) == 100'000'000);
    BOOST_TEST(slo::to_ns(-1.5) == -1'500'000'000);
    BOOST_TEST(slo::to_seconds(1'500'000'000) == 1.5);
    BOOST_TEST(slo::wall_clock_s() > 1.7e9);
    BOOST_TEST(slo::process_cpu_ns() >= 0);
}

BOOST_AUTO_TEST_CASE(a_seed_fixes_every_number)
{
    slo::Random a(7);
    slo::Random b(7);
    for (int i = 0; i < 100; ++i)
        BOOST_TEST(a.lognormal(0, 1) == b.lognormal(0, 1));
    double sum = 0;
    for (int i = 0; i < 20000; ++i)
        sum += a.exponential(2.0);
    BOOST_TEST(sum / 20000 == 2.0, boost::test_tools::tolerance(0.05));
    // Fixed for ever: a schedule of an old run must come out again.
    BOOST_TEST(slo::Random(42).bits() == 13930160852258120406ULL);
}

BOOST_AUTO_TEST_CASE(md5_of_the_empty_text)
{
    const auto digest = slo::md5("");
    BOOST_TEST(int{digest[0]} == 0xd4);
    BOOST_TEST(int{digest[15]} == 0x7e);
}

BOOST_AUTO_TEST_CASE(sha256_of_the_standard)
{
    // FIPS 180-2, appendix B.1, and the empty message.
    BOOST_TEST(slo::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    BOOST_TEST(slo::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    slo::Sha256 digest;
    digest.update("a");
    digest.update("bc");
    BOOST_TEST(digest.finish() == slo::sha256("abc"));
}
