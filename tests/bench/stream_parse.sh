#!/bin/bash
# CPU time to read a streamed chunk: answers of CHUNKS chunks, REPEATS samples, with each chunk parsed and with templates.
set -eu
"$BUILT/tests/bench/stream_parse" "${CHUNKS:-50}" "${REPEATS:-9}"
