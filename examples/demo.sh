#!/bin/bash
# A whole max-QPS search in under two minutes, without a GPU: starts engine-sim, lets bisect search with short rounds,
# and prints the answer beside the engine's true capacity. Stops what it started.
set -euo pipefail
examples=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sloutils-demo.XXXXXX")
engine=
cleanup() {
  [[ -z $engine ]] || { kill "$engine" && wait "$engine"; } 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 2' INT TERM

"$examples/make-route.sh" 1000 >"$work/route.jsonl"

engine-sim serve --profile small --port 0 --port-file "$work/port" 2>"$work/engine.log" &
engine=$!
for _ in {1..100}; do
  [[ -s $work/port ]] && break
  kill -0 "$engine" 2>/dev/null || { cat "$work/engine.log" >&2; exit 3; }
  sleep 0.1
done

slo=0.52
export API_BASE MODEL=sim-small ROUTE=$work/route.jsonl OUT=$work/results ROUND_DURATION=${ROUND_DURATION:-2}
API_BASE=http://127.0.0.1:$(<"$work/port")/v1
echo "Searching the largest rate with a median end-to-end latency below $slo s; about a minute and a half." >&2
found=$("$examples/max-qps.sh" "${LOW:-40}" "${HIGH:-72}" --precision "${PRECISION:-2}" --slo "$slo" \
  --total-rounds 6 --tail-window 3)

capacity=$(engine-sim capacity --profile small --route "$ROUTE" --slo "e2e:p50<$slo")
[[ $capacity =~ \"qps\":([0-9.]+) ]]
printf 'max QPS found: %s   true capacity of the engine: %.1f\n' "$found" "${BASH_REMATCH[1]}"
