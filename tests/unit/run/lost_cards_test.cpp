// SPDX-License-Identifier: MIT
#include <slo/run/lost_cards.hpp>

#define BOOST_TEST_MODULE run_lost_cards
#include <boost/test/unit_test.hpp>

namespace {
using namespace slo;

struct Bus {
    record::PreflightFacts facts;
    std::vector<sys::PciDevice> devices;

    void card(const std::string& at, const std::string& driver = "nvidia")
    {
        devices.push_back({at, sys::pci_vendor_nvidia, 0, 0x030200, driver});
    }
    void listed(const std::string& at) { facts.gpus.emplace_back().at = at; }
    std::string lost(const std::vector<std::string>& messages = {})
    {
        run::LostCards(facts, devices, "/no/such").find(messages);
        std::string text;
        for (const auto& gpu : facts.gpus)
            text += gpu.lost ? gpu.at + " " : "";
        return text;
    }
};

BOOST_AUTO_TEST_CASE(listed_cards_are_not_lost)
{
    Bus bus;
    bus.card("0000:01:00.0");
    bus.card("0000:02:00.0");
    bus.listed("0000:01:00.0");
    BOOST_TEST(bus.lost() == "0000:02:00.0 ");
}

BOOST_AUTO_TEST_CASE(a_message_tells_which)
{
    Bus bus;
    bus.card("0000:02:00.0");
    bus.listed("0000:01:00.0");
    BOOST_TEST(bus.lost({"no handle for GPU0000:02:00.0: Unknown Error", "odd gpu 0000:01:00.0"}) ==
               "0000:02:00.0 ");
    BOOST_TEST(bus.facts.gpus.back().message == "no handle for GPU0000:02:00.0: Unknown Error");
    BOOST_TEST(bus.facts.messages.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_no_loss_is_noted)
{
    Bus passed, unplaced;
    passed.card("0000:02:00.0", "vfio-pci");
    BOOST_TEST(passed.lost() == "");
    BOOST_TEST(passed.facts.notes.size() == 1u);
    unplaced.card("0000:02:00.0");
    unplaced.card("0000:03:00.0");
    unplaced.listed("");
    BOOST_TEST(unplaced.lost() == "");
    BOOST_TEST(unplaced.facts.notes.size() == 1u);
}

} // namespace
