// SPDX-License-Identifier: MIT
#include <slo/artifact/cold_start.hpp>

#define BOOST_TEST_MODULE artifact_cold_start
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

json::object of(std::string_view text)
{
    return artifact::cold_start_block(parse_json(text).as_object(), "start.json");
}

} // namespace

BOOST_AUTO_TEST_CASE(stages_and_total)
{
    BOOST_CHECK_EQUAL(to_json(of(R"({"source":"nvme","format":"safetensors","cache_state":"cold",)"
                                 R"("weights_load_s":40,"kernel_compile_s":20.5,)"
                                 R"("first_100_latencies_ms":[900,30.5]})")),
                      R"({"source":"nvme","format":"safetensors","cache_state":"cold","weights_load_s":40.0,)"
                      R"("kernel_compile_s":20.5,"total_seconds":60.5,"first_100_latencies_ms":[900,30.5]})");
    BOOST_CHECK_EQUAL(of(R"({"total_seconds":70,"weights_load_s":40})").at("total_seconds").as_double(), 70);
}

BOOST_AUTO_TEST_CASE(what_cannot_be)
{
    for (const char* wrong :
         {"{}", R"({"total_seconds":null})", R"({"total_seconds":-1})",
          R"({"total_seconds":10,"weights_load_s":40})", R"({"total_seconds":1,"source":"floppy"})",
          R"({"total_seconds":1,"weight_load_s":1})", R"({"total_seconds":1,"first_100_latencies_ms":[-1]})"})
        BOOST_CHECK_THROW(of(wrong), InputError);
}
