#!/bin/bash
# How often the demo finds the engine's true capacity to within one grid step: RUNS whole searches, one after the other.
# Needs the tools on PATH, as `make bench` sets them.
set -u
cd "$(dirname "$0")/../.." || exit 1
runs=${RUNS:-10} within=0
for ((run = 1; run <= runs; run++)); do
  answer=$(examples/demo.sh 2>/dev/null)
  status=$?
  echo "run $run: status $status, $answer"
  [[ $answer =~ found:\ ([0-9.]+)\ .*engine:\ ([0-9.]+) ]] || continue
  awk -v found="${BASH_REMATCH[1]}" -v truth="${BASH_REMATCH[2]}" 'BEGIN { exit !(found - truth <= 2 && truth - found <= 2) }' &&
    (( status == 0 )) && (( within++ ))
done
echo "$within of $runs within one grid step (2 requests per second)"
