#!/bin/bash
# The largest request rate for AutoReply, three answers to one prompt: 12 rounds of 30 s, judged by the last 6, SLO 2.0 s, LOW first.
# usage: autoreply-m12.sh LOW HIGH [OPTION of bisect]... | autoreply-m12.sh QPS
#
# The second form is one probe. Needs one of
#   POOL   conversations, JSON Lines: the route is built of them by SPEC (workloads/autoreply.yaml), verified rule by rule, and
#          repeated in complete cycles until it feeds 12 rounds at HIGH (CYCLES, at least 13). Prompts are counted by TOKENIZER
#          (server:API_BASE without /v1; see route-build).
#   ROUTE  such a route, made before; its bodies are verified.
# No rate is probed that the route cannot feed. The three answers share their prompt, nothing else is shared: two of three prompts are
# found in the prefix cache, and a probe whose hit rate is not in HIT_RATE (0.66:0.67; any: not looked at) has measured something else. Where
# that is LOW or a rate that passed, the alignment is declared invalid and the search ends: status 2, no rate. The same holds where a
# passing rate's hit rate is not known. Else prints the rate; status as of bisect.
#
#   API_BASE, MODEL, OUT, REPLAY_OPTIONS, …  see probe.sh beside this script
#   ROUNDS, ROUND_DURATION, TAIL_WINDOW, SLO  to try things out in less time (12, 30, 6, 2.0): such results are not AutoReply's
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/in-order.sh
source "$here/in-order.sh"
die() { printf 'autoreply-m12.sh: %s\n' "$*" >&2; exit 3; }
usage() { sed -n '/^# usage: /s/^# //p' "$0" >&2; exit 3; }
if [[ ${1:-} == --help ]]; then
  sed '1d; /^#/!Q; s/^# \{0,1\}//' "$0"
  exit
fi
(( $# )) || usage
for rate in "${@:1:2}"; do
  [[ $rate =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage
done
export OUT=${OUT:-results} ROUND_DURATION=${ROUND_DURATION:-30} API_BASE=${API_BASE:-http://127.0.0.1:8000/v1}
rounds=${ROUNDS:-12} tail_window=${TAIL_WINDOW:-6} slo=${SLO:-2.0}
hit_rate=${HIT_RATE:-0.66:0.67}
[[ $hit_rate == any || $hit_rate =~ ^[01](\.[0-9]+)?:[01](\.[0-9]+)?$ ]] || die "HIT_RATE: neither LOW:HIGH, 0 to 1, nor any"
spec=${SPEC:-$here/workloads/autoreply.yaml}
[[ -r $spec ]] || die "$spec: cannot be read"
mkdir -p "$OUT" || exit 3
[[ ${REPLAY_OPTIONS:-} == *--extra-body-json* ]] || export REPLAY_OPTIONS="--extra-body-json {\"n\":3} ${REPLAY_OPTIONS:-}"

# within RATE: in the range of hit rates.
within() {
  [[ $hit_rate != any ]] || return 0
  LC_ALL=C awk -v rate="$1" -v range="$hit_rate" 'BEGIN { split(range, end, ":"); exit !(rate >= end[1] && rate <= end[2]) }'
}

# One rate, judged by its hit rate, too.
probe() {
  local diff=$OUT/qps_$1.diff.json status found
  rm -f "$diff"
  "$here/probe.sh" "$1"
  status=$?
  [[ -e $diff && $(<"$diff") =~ \"hit_rate\":([0-9][0-9.eE+-]*) ]] || return $status
  printf -v found %.4f "${BASH_REMATCH[1]}"
  within "$found" && return $status
  if (( status == 0 || ${SLO_STEP:-1} == 1 )); then
    echo "a hit rate of $found at $1 qps, not $hit_rate" >"$OUT/misaligned"
    return 4
  fi
  echo "autoreply-m12.sh: a hit rate of $found at $1 qps, not $hit_rate" >&2
  return $status
}
misaligned() { printf 'autoreply-m12.sh: the alignment is invalid: %s\n' "$1" >&2; exit 2; }

# Sets ROUTE and rows, for rates up to $1.
make_route() {
  local rows_needed base=$OUT/autoreply-1.jsonl base_rows cycles tokenizer=${TOKENIZER:-server:${API_BASE%/v1}} cache=()
  [[ $tokenizer != server:* ]] || cache=(--token-cache "$OUT/autoreply.tokens")
  rows_needed=$(LC_ALL=C awk -v qps="$1" -v rounds="$rounds" -v seconds="$ROUND_DURATION" 'BEGIN { n = qps * rounds * seconds; print n > int(n) ? int(n) + 1 : n }')
  if [[ ! ${ROUTE:-} ]]; then
    [[ ${POOL:-} ]] || die "neither ROUTE nor POOL is set"
    # The same pool, the same bytes: built anew, so that it is never an older one.
    route-build quota --spec "$spec" --pool "$POOL" --tokenizer "$tokenizer" "${cache[@]}" --manifest "$OUT/manifest.jsonl" -o "$base" || exit 3
    route-verify --spec "$spec" --tokenizer "$tokenizer" "${cache[@]}" "$base" >"$OUT/verify.json" || die "$base: breaks rules of $spec"
    base_rows=$(wc -l <"$base")
    cycles=${CYCLES:-$(( rows_needed / base_rows + 1 > 13 ? rows_needed / base_rows + 1 : 13 ))}
    ROUTE=$OUT/autoreply.jsonl
    route-build repeat --cycles "$cycles" --cycle-rows "$base_rows" --body-only --manifest "$OUT/manifest.jsonl" -o "$ROUTE" "$base" || exit 3
  fi
  route-verify --spec "$spec" --rule schema --rule rows --rule sampling --rule forbidden \
    --for-run "$1,$rounds,$ROUND_DURATION" "$ROUTE" >"$OUT/verify-route.json" || exit 3
  [[ $(<"$OUT/verify-route.json") =~ \"rows\":([0-9]+) ]] || die "$ROUTE: not counted"
  rows=${BASH_REMATCH[1]}
  ROUTE_SHA256=$(sha256sum <"$ROUTE") || exit 3
  export ROUTE ROUTE_SHA256=${ROUTE_SHA256%% *}
}

if (( $# == 1 )); then
  # In a search, or alone.
  [[ ${ROUTE_SHA256:-} ]] || {
    make_route "$1"
    export SLO_SLO=$slo SLO_TOTAL_ROUNDS=$rounds SLO_TAIL_WINDOW=$tail_window
    rm -f "$OUT/misaligned"
  }
  probe "$1"
  status=$?
  [[ ! -e $OUT/misaligned || ${SLO_STEP:-} ]] || misaligned "$(<"$OUT/misaligned")"
  exit "$status"
fi

low=$1 high=$2
shift 2
unset ROUTE_SHA256 SLO_STEP
make_route "$high"
rm -f "$OUT/misaligned"

# The ceiling is the largest rate of the grid that the route feeds.
precision=0.1 ceiling=()
for (( i = 1; i <= $#; ++i )); do
  case ${!i} in
    --precision=*) precision=${!i#*=} ;;
    --precision | -p) next=$(( i + 1 )); precision=${!next:-} ;;
    --ceiling*) ceiling=(given) ;;
  esac
done
if [[ ! ${ceiling[*]} ]]; then
  ceiling=(--ceiling "$(LC_ALL=C awk -v rows="$rows" -v seconds="$(LC_ALL=C awk -v n="$rounds" -v s="$ROUND_DURATION" 'BEGIN { print n * s }')" -v step="$precision" \
    'BEGIN { if (!(step > 0)) step = 0.1; printf "%.10g", int(rows / seconds / step + 1e-9) * step }')")
else
  ceiling=()
fi

export HIT_RATE=$hit_rate SPEC=$spec PROBE=$here/autoreply-m12.sh
in_order "$here/max-qps.sh" "$low" "$high" --slo "$slo" --total-rounds "$rounds" --tail-window "$tail_window" "${ceiling[@]}" "$@" >"$OUT/max-qps.txt"
status=$?
[[ ! -e $OUT/misaligned ]] || misaligned "$(<"$OUT/misaligned")"
if [[ $hit_rate != any && -e $OUT/journal.jsonl ]]; then
  unknown=$(awk '/"event":"probe"/ && /"status":"PASS"/ && !/"hit_rate":[0-9]/ { n++ } END { print n + 0 }' "$OUT/journal.jsonl")
  (( unknown == 0 )) || misaligned "$unknown passing probes without a hit rate (HIT_RATE=any takes them)"
fi
cat "$OUT/max-qps.txt"
exit "$status"
