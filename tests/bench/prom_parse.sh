#!/bin/bash
# How many MB/s of metrics in vLLM's form one core reads: MEBIBYTES of text, REPEATS times, in CPU time, so that other
# work on the machine does not count.
set -eu
"$BUILT/tests/bench/prom_parse" "${MEBIBYTES:-16}" "${REPEATS:-9}"
