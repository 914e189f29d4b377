#!/bin/bash
# How many MB of route one second of CPU works off, by what passes rows on and by what checks them, beside tools that only
# read lines or parse JSON: SMALL MB and LARGE MB of long rows (35 kB) and of short ones (300 bytes), medians of RUNS runs
# in CPU time, so that other work on the machine does not count. Then the memory each takes, for both sizes. Needs GNU
# time; leaves out what is not installed.
set -eu
small=${SMALL:-100} large=${LARGE:-1000} runs=${RUNS:-3}
type -P time >/dev/null || { echo 'route_speed: GNU time is not installed'; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
project=$(cd "$(dirname "$0")/../.." && pwd)

cat >"$scratch/loop.py" <<'END'
import json, sys
for line in sys.stdin:
    json.dumps(json.loads(line))
END

# route KIND MEGABYTES FILE
route() {
  local source=$project/tests/data/routes/autoreply_20.jsonl bytes
  if [[ $1 == short ]]; then
    source=$scratch/short.seed
    awk 'BEGIN { for (i = 0; i < 1000; i++) printf "{\"ts\": %d, \"conv_id\": \"c%d\", \"body\": {\"prompt\": [{\"role\": \"system\", \"content\": \"Be terse.\"}, {\"role\": \"user\", \"content\": \"Where is parcel %d, and when will it come? I have been waiting for a week.\"}], \"max_tokens\": 50, \"temperature\": 0.7, \"top_p\": 0.8, \"n\": 3}}\n", 1755000000 + i, i, i }' >"$source"
  fi
  bytes=$(wc -c <"$source")
  route-build repeat --cycles $(($2 * 1000000 / bytes + 1)) -o "$3" "$source"
}

# cost FILE COMMAND...: "CPU_SECONDS KILOBYTES" of the command, reading FILE as stdin; the median of all runs. ROWS in it
# stands for the rows that FILE has.
cost() {
  local file=$1 run rows
  shift
  rows=$(wc -l <"$file")
  for ((run = 0; run < runs; run++)); do
    env time -f '%U %S %M' -o "$scratch/cost" "${@/#ROWS/$rows}" <"$file" >/dev/null
    awk '{ print $1 + $2, $3 }' "$scratch/cost"
  done | sort -g | sed -n "$(((runs + 1) / 2))p"
}

commands=(
  'route-build repeat --cycles 1'
  'route-build sample --range 0 0.5'
  'route-build sample --rows 1000'
  'route-build shuffle'
  'route-build head-seconds --qps 1 --seconds ROWS'
  'route-verify --quiet'
  'cat'
  'wc -l'
  'jq -c .'
  "python3 $scratch/loop.py"
)
for kind in long short; do
  route "$kind" "$small" "$scratch/small"
  route "$kind" "$large" "$scratch/large"
  printf '%s rows, %s MB\n' "$kind" "$large"
  for words in "${commands[@]}"; do
    read -ra command <<<"$words"
    type -P "${command[0]}" >/dev/null || continue
    file=$scratch/large
    [[ ${command[0]} == jq || ${command[0]} == python3 ]] && file=$scratch/small
    read -r seconds kilobytes <<<"$(cost "$file" "${command[@]}")"
    read -r _ before <<<"$(runs=1 cost "$scratch/small" "${command[@]}")"
    awk -v what="${words//$scratch\//}" -v bytes="$(stat -c %s "$file")" -v s="$seconds" -v small="$before" -v large="$kilobytes" \
      'BEGIN { printf "  %-50s %6.0f MB per CPU second, peak memory %.1f and %.1f MB\n", what, bytes / (s > 0 ? s : 0.01) / 1e6, small / 1024, large / 1024 }'
  done
done
