// SPDX-License-Identifier: MIT
#include <slo/run/lane.hpp>

#define BOOST_TEST_MODULE run_lane
#include <boost/test/unit_test.hpp>

#include <slo/net/curl_transport.hpp>

namespace {

struct NoPeers : slo::run::LanePeers {
    void round_drained() override {}
    void route_ended() override {}
};

} // namespace

BOOST_AUTO_TEST_CASE(the_shares_of_all_lanes_are_the_whole)
{
    slo::net::EventLoop loop;
    slo::net::CurlTransport transport(loop, {});
    NoPeers peers;
    for (const std::size_t whole : {0U, 1U, 3U, 4U, 1001U}) {
        std::size_t sum = 0;
        for (std::uint32_t i = 0; i < 4; ++i) {
            const auto share = slo::run::LaneContext{loop, transport, peers, i, 4}.share_of(whole);
            BOOST_TEST(share >= whole / 4);
            BOOST_TEST(share <= whole / 4 + 1);
            sum += share;
        }
        BOOST_TEST(sum == whole);
    }
}
