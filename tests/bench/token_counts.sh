#!/bin/bash
# How many prompts of 500 tokens a second engine-sim counts for one client: texts in lists, chats with 64 requests in
# flight, chats one after the other, and a loop of curl, one process a prompt (LOOP of them).
# Needs BUILT and engine-sim on PATH, as `make bench` sets them.
set -eu
prompts=${PROMPTS:-10000} loop=${LOOP:-500}
scratch=$(mktemp -d)
engine-sim serve --port 0 --port-file "$scratch/port" 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT
until [[ -e $scratch/port ]]; do sleep 0.05; done
url=http://127.0.0.1:$(<"$scratch/port")
for run in 1 2 3; do
  for how in texts chats one; do
    read -r count seconds mean requests < <("$BUILT/tests/bench/token_counts" "$url" "$how" "$prompts" 500)
    awk -v run="$run" -v how="$how" -v count="$count" -v seconds="$seconds" -v mean="$mean" -v requests="$requests" 'BEGIN {
      printf "run %d: %s: %d prompts of %.0f tokens, %d requests, %.2f s = %.0f prompts/s\n", run, how, count, mean, requests, seconds, count / seconds }'
  done
  text=$(printf ' word%.0s' $(seq 500))
  begin=$EPOCHREALTIME
  for ((i = 0; i < loop; i++)); do
    curl -sS "$url/tokenize" -H 'Content-Type: application/json' \
      -d "{\"messages\":[{\"role\":\"user\",\"content\":\"$i$text\"}]}" >"$scratch/answer"
  done
  awk -v run="$run" -v count="$loop" -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN {
    printf "run %d: curl: %d prompts, %.2f s = %.0f prompts/s\n", run, count, end - begin, count / (end - begin) }'
done
