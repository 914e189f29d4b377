#include <slo/serving/gpu_arch.hpp>

#define BOOST_TEST_MODULE serving_gpu_arch
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(compute_capabilities_are_read_as_people_write_them)
{
    using serving::parse_compute_capability;
    for (const char* text : {"sm_90", "SM90", "sm_90a", "9.0", " sm_90 "})
        BOOST_TEST(parse_compute_capability(text).value_or(0) == 90, text);
    BOOST_TEST(parse_compute_capability("12.0").value_or(0) == 120);
    for (const char* text : {"", "sm_", "hopper", "90", "sm_9", "sm_9999", "sm_9x", ".", "sm_-90"})
        BOOST_TEST(!parse_compute_capability(text), text);
}

BOOST_AUTO_TEST_CASE(cards_are_known_by_a_whole_word_of_their_name)
{
    using serving::capability_of;
    BOOST_TEST(capability_of("NVIDIA H100 80GB HBM3").value_or(0) == 90);
    BOOST_TEST(capability_of("NVIDIA A100-SXM4-80GB").value_or(0) == 80);
    BOOST_TEST(capability_of("B200").value_or(0) == 100);
    BOOST_TEST(capability_of("NVIDIA GB300").value_or(0) == 103);
    BOOST_TEST(capability_of("NVIDIA L4").value_or(0) == 89);
    BOOST_TEST(capability_of("NVIDIA L40S").value_or(0) == 89);
    BOOST_TEST(capability_of("NVIDIA RTX PRO 6000 Blackwell Server Edition").value_or(0) == 120);
    BOOST_TEST(!capability_of("AMD Instinct MI300X"));
    BOOST_TEST(!capability_of("XH1000"));
    BOOST_TEST(!capability_of(""));
}

BOOST_AUTO_TEST_CASE(number_formats_are_known_by_name)
{
    BOOST_TEST(serving::find_precision("NVFP4")->computes_from == 100);
    BOOST_TEST(serving::find_precision("fp8")->bytes == 1);
    BOOST_TEST(!serving::find_precision("fp9"));
}
