// SPDX-License-Identifier: MIT
// A run of two rounds whose figures can be told by heart.

#ifndef SLO_TESTS_SUPPORT_TOTALS_OF_RUN_HPP
#define SLO_TESTS_SUPPORT_TOTALS_OF_RUN_HPP

#include <slo/record/run_totals.hpp>

namespace slo::test {

// 100 requests a round of 10 s, due at once at its start; 99 of them answered after 0.25 s, with the first of
// 11 tokens after 0.05 s and one every 20 ms; one reset. The first round begins 5 s after the run; the last
// answer comes 10.25 s later.
inline record::RunTotals totals_of_run(record::RoundTerms terms = {})
{
    record::RunTotals run;
    for (int number = 1; number <= 2; ++number) {
        record::RoundWindow window;
        window.number = number;
        window.start_s = 5 + 10 * (number - 1);
        window.duration_s = 10;
        window.wire_dispatched = 100;
        window.completed = 100;
        window.client.emplace();
        window.client->saturated = number == 2;
        window.client->in_flight_max = 100 * number;
        record::WindowTotals totals(terms);
        stats::Sample lateness_s;
        for (int i = 0; i < 100; ++i) {
            record::Request request;
            request.round = number;
            request.due_s = window.start_s;
            request.sent_s = window.start_s + 0.001;
            request.end_s = window.start_s + 0.25;
            lateness_s.add(0.001);
            if (i == 0) {
                request.status = record::RequestStatus::failed;
                request.error_kind = record::ErrorKind::reset;
                request.error = "connection reset";
            } else {
                request.status = record::RequestStatus::ok;
                request.first_token_s = request.first_content_s = window.start_s + 0.05;
                request.last_token_s = request.end_s;
                request.input_tokens = 30;
                request.output_tokens = 11;
                request.itl_ms.assign(10, 20);
            }
            totals.add(request);
        }
        run.add(window, totals, lateness_s);
    }
    return run;
}

} // namespace slo::test

#endif
