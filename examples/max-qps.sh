#!/bin/bash
# The largest request rate at which a running inference server keeps its latency SLO.
# usage: max-qps.sh LOW HIGH [OPTION of bisect]...
#
# LOW is a rate thought to pass, HIGH one thought to fail; the search goes beyond both where it must. What is probed
# is set by the environment, see probe.sh beside this script. Prints the rate alone; the table is on stderr. The search
# is kept in $OUT: the same command goes on where it was stopped. Status as of bisect: 0 found, 1 no rate passes,
# 2 ended before it converged, 3 error.
set -u
here=$(dirname "$0")
if (( $# < 2 )); then
  sed -n '3s/^# //p' "$0" >&2
  exit 3
fi
low=$1 high=$2
shift 2
export OUT=${OUT:-results}
mkdir -p "$OUT" || exit 3

# What is probed stands in the command, so that the journal of another server or route is told apart.
bisect --low "$low" --high "$high" --journal "$OUT/journal.jsonl" "$@" -- \
  env API_BASE="${API_BASE:-http://127.0.0.1:8000/v1}" MODEL="${MODEL:-default}" ROUTE="${ROUTE:-route.jsonl}" \
  ROUND_DURATION="${ROUND_DURATION:-30}" REPLAY_OPTIONS="${REPLAY_OPTIONS:-}" \
  "$here/probe.sh" '{qps}' >"$OUT/search.jsonl"
status=$?

(( status < 3 )) || exit "$status"
if [[ $(tail -n 1 "$OUT/search.jsonl") =~ \"max_qps\":([0-9.]+) ]]; then
  echo "${BASH_REMATCH[1]%.0}"
else
  echo "max-qps.sh: no rate passed" >&2
fi
exit "$status"
