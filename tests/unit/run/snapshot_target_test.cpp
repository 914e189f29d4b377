// SPDX-License-Identifier: MIT
#include <slo/run/snapshot_target.hpp>

#define BOOST_TEST_MODULE run_snapshot_target
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(a_label_names_its_url)
{
    const auto target = run::target_of_label("gpu-0.a=http://h/m?x=y");
    BOOST_TEST(target.label == "gpu-0.a");
    BOOST_TEST(target.url == "http://h/m?x=y");
    BOOST_TEST(run::source_of(target) == "gpu-0.a");
    for (const char* bad : {"=http://h", "a b=http://h", "http://h", "a=", "a=h:1/m", "a\n=http://h"})
        BOOST_CHECK_THROW(run::target_of_label(bad), UsageError);
    BOOST_CHECK_THROW(run::target_of_label(std::string(65, 'a') + "=http://h"), UsageError);
}

BOOST_AUTO_TEST_CASE(only_http_urls_of_visible_ascii)
{
    for (const char* bad :
         {"", "h", "file:///x", "http://", "http://h/\nX: y", "http://h/ a", "http://h/\xC3\xA4"})
        BOOST_CHECK_THROW(run::target_of_url(bad), UsageError);
    BOOST_CHECK_THROW(run::target_of_url("http://" + std::string(9000, 'a')), UsageError);
}

BOOST_AUTO_TEST_CASE(targets_can_be_told_apart)
{
    const auto targets = run::snapshot_targets({"http://a", "http://b"}, {"b=http://b"});
    BOOST_TEST(targets.size() == 3U);
    BOOST_TEST(targets[2].label == "b");
    BOOST_CHECK_THROW(run::snapshot_targets({}, {}), UsageError);
    BOOST_CHECK_THROW(run::snapshot_targets({"http://a", "http://u@a"}, {}), UsageError);
    BOOST_CHECK_THROW(run::snapshot_targets({}, {"x=http://a", "x=http://b"}), UsageError);
}
