#include <slo/base/shown_url.hpp>

#define BOOST_TEST_MODULE base_shown_url
#include <boost/test/unit_test.hpp>

using namespace slo;

BOOST_AUTO_TEST_CASE(credentials_leave_a_url)
{
    BOOST_TEST(without_credentials("http://user:p%40ss@host:1/v1") == "http://host:1/v1");
    BOOST_TEST(without_credentials("http://a@b@host/v1") == "http://host/v1");
    BOOST_TEST(without_credentials("https://host/v1?mail=a@b") == "https://host/v1?mail=a@b");
    BOOST_TEST(without_credentials("http://host") == "http://host");
    BOOST_TEST(without_credentials("http://user@host") == "http://host");
    BOOST_TEST(without_credentials("nonsense") == "nonsense");
}

BOOST_AUTO_TEST_CASE(what_is_secret_is_not_shown)
{
    BOOST_TEST(shown_url("http://h:1/metrics") == "http://h:1/metrics");
    BOOST_TEST(shown_url("https://u:p@h/m#f") == "https://h/m");
    BOOST_TEST(shown_url("http://h/m?a=1&API_Key=x&b=@") == "http://h/m?a=1&API_Key=REDACTED&b=@");
    BOOST_TEST(shown_url("http://h/m?session=x&v=1") == "http://h/m?session=REDACTED&v=1");
    BOOST_TEST(shown_url("http://h/m?token") == "http://h/m?token=REDACTED");
    BOOST_TEST(shown_url("http://h/m?X-Amz-Signature=abc") == "http://h/m?X-Amz-Signature=REDACTED");
    BOOST_TEST(shown_url("http://h/m?a=key") == "http://h/m?a=key");
    BOOST_TEST(shown_url("http://h/m?") == "http://h/m?");
}
