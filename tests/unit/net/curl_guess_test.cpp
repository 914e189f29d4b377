// SPDX-License-Identifier: MIT
#include <slo/net/curl_guess.hpp>

#define BOOST_TEST_MODULE net_curl_guess
#include <boost/test/unit_test.hpp>

#include <memory>

using namespace slo::net;

namespace {

struct Fixture {
    const std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), curl_easy_cleanup};
    CurlGuess guess{easy.get()};
    TransportOptions options;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(curl_guess, Fixture)

BOOST_AUTO_TEST_CASE(only_http2_without_tls_is_a_matter_of_guessing)
{
    guess.set_url(options, "http://host/");
    BOOST_TEST(!guess.needed());
    options.http2 = true;
    guess.set_url(options, "https://host/");
    BOOST_TEST(!guess.needed());
    guess.begin(false);
    BOOST_TEST(!guess.check());
    guess.set_url(options, "http://host/");
    BOOST_TEST(guess.needed() == begins_http2_twice());
}

BOOST_AUTO_TEST_CASE(a_wrong_guess_is_corrected)
{
    options.http2 = true;
    guess.set_url(options, "http://host/");
    if (!guess.needed())
        return;
    guess.begin(true); // and no connection was made
    BOOST_TEST(!guess.check());
    guess.begin(false);
    BOOST_TEST(!guess.wrong());
    BOOST_TEST(guess.check());
    BOOST_TEST(guess.wrong());
    guess.correct();
    BOOST_TEST(!guess.wrong());
    BOOST_TEST(!guess.check());
}

BOOST_AUTO_TEST_SUITE_END()
