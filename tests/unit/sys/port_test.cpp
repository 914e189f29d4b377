// SPDX-License-Identifier: MIT
#include <slo/sys/port.hpp>

#define BOOST_TEST_MODULE sys_port
#include <boost/test/unit_test.hpp>

#include "../../support/scripted_server.hpp"

BOOST_AUTO_TEST_CASE(a_port_is_taken_while_somebody_listens)
{
    slo::test::ScriptedServer server([](slo::test::ScriptedPeer&) {});
    BOOST_TEST(slo::sys::port_taken(server.port()));
    BOOST_TEST(server.accepted() == 0);
    server.close_listener();
    BOOST_TEST(!slo::sys::port_taken(server.port()));
}
