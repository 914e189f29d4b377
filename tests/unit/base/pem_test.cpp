// SPDX-License-Identifier: MIT
#include <slo/base/pem.hpp>

#define BOOST_TEST_MODULE base_pem
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <string>

using namespace slo;

namespace {

std::string data(const std::string& name)
{
    std::ifstream file("tests/data/tls/" + name);
    BOOST_REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

BOOST_AUTO_TEST_CASE(good_ones_have_no_fault)
{
    BOOST_TEST(certificates_fault(data("ca.pem")) == "");
    BOOST_TEST(certificates_fault("a comment\n" + data("ca.pem") + "another\n" + data("server.pem")) == "");
    BOOST_TEST(certificates_fault(data("client-and-key.pem")) == "");
    BOOST_TEST(private_key_fault(data("client-and-key.pem")) == "");
    BOOST_TEST(private_key_fault(data("server.key")) == "");
}

BOOST_AUTO_TEST_CASE(what_holds_nothing_is_told_from_what_is_malformed)
{
    BOOST_TEST(certificates_fault("") == "holds no certificate in PEM form");
    BOOST_TEST(certificates_fault(data("server.key")) == "holds no certificate in PEM form");
    BOOST_TEST(private_key_fault(data("server.pem")) == "holds no private key in PEM form");
    auto broken = data("ca.pem") + data("server.pem");
    broken[broken.size() - 100] = '!';
    BOOST_TEST(certificates_fault(broken).starts_with("malformed certificate number 2 ("));
    const auto cut = data("ca.pem").substr(0, 200);
    BOOST_TEST(certificates_fault(cut).starts_with("malformed certificate number 1 ("));
    BOOST_TEST(private_key_fault(data("server.key").substr(0, 80)).starts_with("malformed private key ("));
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_for_a_pass_phrase)
{
    BOOST_TEST(private_key_fault(data("encrypted.key")) ==
               "the key is encrypted: give one without a pass phrase");
}

BOOST_AUTO_TEST_CASE(a_key_belongs_to_one_certificate)
{
    BOOST_TEST(is_key_of(data("server.key"), data("server.pem")));
    BOOST_TEST(is_key_of(data("client-and-key.pem"), data("client-and-key.pem")));
    BOOST_TEST(!is_key_of(data("server.key"), data("client.pem")));
    BOOST_TEST(!is_key_of("", ""));
}
