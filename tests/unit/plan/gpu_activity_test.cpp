// SPDX-License-Identifier: MIT
#include <slo/plan/gpu_activity.hpp>

#define BOOST_TEST_MODULE plan_gpu_activity
#include <boost/test/unit_test.hpp>

#include <limits>

namespace {
using namespace slo;

void scrape(plan::GpuActivity& activity, double time_s, const std::string& text)
{
    auto snapshot = record::parse_snapshot(text, "");
    snapshot.taken_s = time_s;
    activity.take(snapshot);
}

BOOST_AUTO_TEST_CASE(mean_max_and_energy_by_the_counter)
{
    plan::GpuActivity activity;
    scrape(activity, 100,
           "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"h\"} 50\n"
           "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"0\",Hostname=\"h\"} 0.5\n"
           "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",Hostname=\"h\"} 5000000\n"
           "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",Hostname=\"h\"} 0\nvllm:other 3\n");
    scrape(activity, 110,
           "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",Hostname=\"h\"} 100\n"
           "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"0\",Hostname=\"h\"} 0.25\n"
           "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\",Hostname=\"h\"} 8000000\n"
           "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",Hostname=\"h\"} 31\n");
    BOOST_TEST(to_json(activity.to_json_object(1500)) ==
               R"({"gpus":{"h:0":{"tensor_active":{"mean":0.375,"max":0.5},)"
               R"("utilization_pct":{"mean":75.0,"max":100.0},"readings":2}},"window_s":10.0,)"
               R"("energy_j":3000.0,"energy_source":"energy counter","joules_per_token":2.0,)"
               R"("xid_errors":[{"gpu":"h:0","xid":31,"during_run":true}]})");
}

BOOST_AUTO_TEST_CASE(energy_from_power_by_the_trapezoidal_rule)
{
    plan::GpuActivity activity;
    for (const auto& [time_s, power_w] : {std::pair(0.0, 100.0), {10.0, 300.0}, {12.0, 300.0}}) {
        activity.reading("0", "power.draw", power_w, time_s);
        activity.reading("1", "power.draw", 50, time_s);
        activity.reading("1", "temperature.gpu", std::nullopt, time_s);
    }
    const auto record = activity.to_json_object(std::nullopt);
    BOOST_TEST(*number_at(record, "energy_j") == 2000 + 600 + 600);
    BOOST_TEST(*string_at(record, "energy_source") == "power over time");
    BOOST_TEST(record.at("joules_per_token").is_null());
    BOOST_TEST(*string_at(record, "reason") == "the number of generated tokens is not known");
}

BOOST_AUTO_TEST_CASE(no_energy_has_its_reason)
{
    plan::GpuActivity no_power;
    no_power.reading("0", "utilization.gpu", 3, 1);
    BOOST_TEST(*string_at(no_power.to_json_object(5), "reason") == "no card tells its power or energy");
    plan::GpuActivity one;
    one.reading("0", "power.draw", 3, 1);
    BOOST_TEST(one.to_json_object(5).at("energy_j").is_null());
    plan::GpuActivity timeless;
    timeless.reading("0", "power.draw", 3, {});
    timeless.reading("0", "power.draw", 3, {});
    const auto record = timeless.to_json_object(5);
    BOOST_TEST(record.at("energy_j").is_null());
    BOOST_TEST(record.at("window_s").is_null());
}

BOOST_AUTO_TEST_CASE(a_counter_that_fell_is_not_trusted)
{
    plan::GpuActivity activity;
    for (const auto& [time_s, energy_mj] : {std::pair(0.0, 9e6), {10.0, 1e6}, {20.0, 9.5e6}}) {
        activity.take("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "0", "", energy_mj, time_s);
        activity.take("DCGM_FI_DEV_POWER_USAGE", "0", "", 100, time_s);
    }
    const auto record = activity.to_json_object(10);
    BOOST_TEST(*number_at(record, "energy_j") == 2000);
    BOOST_TEST(*string_at(record, "energy_source") == "power over time");
}

BOOST_AUTO_TEST_CASE(a_split_card_has_one_power)
{
    plan::GpuActivity activity;
    for (const double time_s : {0.0, 10.0}) {
        for (const char* instance : {"1", "2"}) {
            activity.take("DCGM_FI_DEV_POWER_USAGE", "0", instance, 100, time_s);
            activity.take("DCGM_FI_DEV_FB_USED", "0", instance, 7, time_s);
        }
    }
    const auto record = activity.to_json_object(1000);
    BOOST_TEST(*number_at(record, "joules_per_token") == 1);
    BOOST_TEST(object_at(record, "gpus")->size() == 3U);
    BOOST_TEST(object_at(record, "gpus")->contains("0/2"));
}

BOOST_AUTO_TEST_CASE(blanks_are_not_values)
{
    for (const double blank :
         {2147483632.0, 2147483634.0, 140737488355328.0, 9223372036854775792.0, -1.0,
          std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        BOOST_TEST(!plan::is_gpu_value(blank));
    BOOST_TEST(plan::is_gpu_value(0));
    BOOST_TEST(plan::is_gpu_value(4e9));
    plan::GpuActivity activity;
    activity.take("DCGM_FI_DEV_GPU_TEMP", "0", "", 2147483632.0, 1);
    activity.take("unknown", "0", "", 1, 1);
    BOOST_TEST(activity.empty());
}

BOOST_AUTO_TEST_CASE(triton_counts_in_its_own_units)
{
    plan::GpuActivity activity;
    scrape(
        activity, 1,
        "nv_gpu_utilization{gpu_uuid=\"GPU-a\"} 0.5\nnv_gpu_memory_used_bytes{gpu_uuid=\"GPU-a\"} 1048576\n");
    const auto record = activity.to_json_object({});
    const auto& gpu = record.at("gpus").as_object().at("GPU-a").as_object();
    BOOST_TEST(*number_at(gpu.at("utilization_pct").as_object(), "max") == 50);
    BOOST_TEST(*number_at(gpu.at("memory_used_mib").as_object(), "max") == 1);
}
} // namespace
