# What the cases of a certifying search share. Sourced in a fresh folder. How many rounds a search spends on what is tuned by its
# study; so the cases say what must be true of the figures, not what they are.
. "$CASE/../common.bash"
cp "$CASE/../certain-probe" .

field() { tail -n 1 "$2" | grep -oE "\"$1\":[^,]*" | head -n 1 | cut -d: -f2; }

# Of the result record: what it is sure of (figures as N), and why it ended.
certified() {
  tail -n 1 "$1" | grep -oE '"(max_qps|first_fail_qps|max_qps_certified|min_qps_rejected|non_monotone|converged|reason)":[^,]*' |
    sed -E 's/:[0-9.e+]+$/:N/' | tr '\n' ' '
  echo
}
same_end() { cmp <(tail -n 1 "$1" | steady) <(tail -n 1 "$2" | steady); }

# Whether the true edge, between LOW and HIGH, is between what is certified and what is rejected, and the point, too.
around() { # LOW HIGH RECORDS
  awk -v low="$1" -v high="$2" -v certified="$(field max_qps_certified "$3")" -v point="$(field max_qps_point "$3")" \
    -v rejected="$(field min_qps_rejected "$3")" -v rounds="$(field rounds_spent "$3")" 'BEGIN {
    ok = certified > 0 && certified < high && low < rejected && certified < point && point < rejected && rounds <= 200
    print (ok ? "certified < edge < rejected" : certified " " point " " rejected ", the edge " low " to " high ", rounds " rounds) }'
}

# A route for engine-sim, and a probe of it in virtual time; $ENGINE are its options, $OBJECTIVE what is to hold.
simulated() {
  local i
  for i in {1..200}; do echo "{\"ts\":$i,\"body\":{\"prompt\":\"request number $i\",\"max_tokens\":${1:-300}}}"; done >route.jsonl
  cat >simulate <<'END'
set -o pipefail
engine-sim rounds $ENGINE --route route.jsonl --arrivals poisson --round-duration 10 --seed "$SLO_SEED" \
  --max-rounds "$SLO_TOTAL_ROUNDS" --qps "$SLO_QPS" --objective "$OBJECTIVE" | rounds-analyze --objective "$OBJECTIVE"
END
}
