// SPDX-License-Identifier: MIT
#include <slo/net/tls_files.hpp>

#define BOOST_TEST_MODULE net_tls_files
#include <boost/test/unit_test.hpp>

#include <string>

using namespace slo::net;

namespace {

const std::string folder = "tests/data/tls/";

std::string fault(const std::string& ca, const std::string& cert, const std::string& key)
{
    const auto path = [](const std::string& name) {
        return name.empty() || name.starts_with('/') ? name : folder + name;
    };
    try {
        check_tls_files({path(ca), path(cert), path(key)});
    } catch (const slo::Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(files_that_will_do)
{
    BOOST_TEST(fault("", "", "") == "");
    BOOST_TEST(fault("ca.pem", "", "") == "");
    BOOST_TEST(fault("", "client.pem", "client.key") == "");
    BOOST_TEST(fault("", "client-and-key.pem", "") == "");
}

BOOST_AUTO_TEST_CASE(every_other_is_named_with_its_reason)
{
    BOOST_TEST(fault("none.pem", "", "") == folder + "none.pem: No such file or directory");
    BOOST_TEST(fault("client.key", "", "") == folder + "client.key: holds no certificate in PEM form");
    BOOST_TEST(fault("", "client.pem", "") == folder + "client.pem: holds no private key in PEM form");
    BOOST_TEST(fault("", "client.pem", "ca.pem") == folder + "ca.pem: holds no private key in PEM form");
    BOOST_TEST(fault("", "client.pem", "server.key") ==
               folder + "server.key: not the key of the certificate in " + folder + "client.pem");
    BOOST_TEST(fault("", "client.pem", "encrypted.key") ==
               folder + "encrypted.key: the key is encrypted: give one without a pass phrase");
    BOOST_TEST(fault("", "", "client.key") == folder + "client.key: a key wants a certificate");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_twice_is_refused)
{
    BOOST_TEST(fault("/dev/null", "", "") ==
               "/dev/null: not a regular file, and it is to be read again for each connection");
    BOOST_TEST(fault("/", "", "").starts_with("/: not a regular file"));
}
