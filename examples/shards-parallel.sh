#!/bin/bash
# One run from several machines, by GNU parallel over ssh.
# usage: shards-parallel.sh HOST...
#
# One shard a HOST ( : is this machine); SHARDS says how many in all where that is not it. What is sent is set by the
# environment, see shard.sh beside this script, which every HOST has in the same place (make install puts it there), with
# replay on its PATH. The route is copied (by rsync). SLO, TAIL_WINDOW: for the verdict (6.5, 4). LEAD: seconds until the
# start (15). Rounds come back over ssh into $OUT/shard-I.jsonl. Prints the verdict; status as of rounds-analyze.
set -u
here=$(cd "$(dirname "$0")" && pwd)
(( $# )) || { sed -n '3s/^# //p' "$0" >&2; exit 3; }
shards=${SHARDS:-$#}
export API_BASE=${API_BASE:-http://127.0.0.1:8000/v1} MODEL=${MODEL:-default} QPS=${QPS:-8} ROUNDS=${ROUNDS:-8} \
  ROUND_DURATION=${ROUND_DURATION:-30} SEED=${SEED:-1} REPLAY_OPTIONS=${REPLAY_OPTIONS:-}
ROUTE=$(realpath "${ROUTE:-route.jsonl}") OUT=${OUT:-results}
export ROUTE
mkdir -p "$OUT" || exit 3
copy=(--basefile "$ROUTE")
[[ $* != : ]] || copy=()
start=$(( $(date +%s) + ${LEAD:-15} ))

# All at once or not at all: as many jobs a host as there are shards for it.
seq 0 $(( shards - 1 )) |
  parallel --sshlogin "$(IFS=,; echo "$*")" --jobs $(( (shards + $# - 1) / $# )) "${copy[@]}" \
    --env API_BASE,MODEL,QPS,ROUNDS,ROUND_DURATION,SEED,REPLAY_OPTIONS,ROUTE \
    --joblog "$OUT/shards.log" --results "$OUT/shard-{}.jsonl" --plain \
    "$here/shard.sh" '{}' "$shards" "$start" >/dev/null

# A shard that never ran spoils the run; one without a success (1) or cut short (2) is judged by its rounds.
awk -F '\t' 'NR > 1 && ($7 > 2 || $8 > 0) { bad = 1 } END { exit bad || NR < 2 }' "$OUT/shards.log" ||
  { cat "$OUT"/shard-*.err >&2; exit 3; }
# Each by its name, not by a pattern: a file that is not there must be missed.
files=()
for (( i = 0; i < shards; ++i )); do files+=("$OUT/shard-$i.jsonl"); done
rounds-analyze --total-rounds "$ROUNDS" --tail-window "${TAIL_WINDOW:-4}" --slo "${SLO:-6.5}" "${files[@]}"
