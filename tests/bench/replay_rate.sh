#!/bin/bash
# How exactly replay keeps a rate, and what a request costs it: RATE requests per second for SECONDS_LONG seconds against
# engine-sim on the same machine. Prints, per window: actual rate, achieved rate at the socket, lateness, CPU.
set -eu
rate=${RATE:-200} length=${SECONDS_LONG:-60} tokens=${TOKENS:-4}
scratch=$(mktemp -d)
trap 'kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch"
engine-sim serve --profile small --max-num-seqs 512 --port 0 --port-file port 2>sim.log &
server=$!
until [[ -s port ]]; do sleep 0.05; done
for ((i = 0; i < rate * length; ++i)); do
  echo "{\"ts\":$i,\"conv_id\":\"c$i\",\"body\":{\"prompt\":\"question $i\",\"max_tokens\":$tokens}}"
done >route.jsonl
TIMEFORMAT='CPU: %U s user, %S s system, in all'
time replay route.jsonl --api-base "http://127.0.0.1:$(<port)/v1" --model sim-small --use-chat --disable-min-p \
  --replay-mode qps --target-qps "$rate" --continuous-qps-window --round-duration "$length" --max-rounds 1 --quiet \
  --requests-out requests.jsonl >rounds.jsonl
grep -o '"actual_qps":[^,]*\|"wire_dispatch_qps":[^,]*\|"counts":{[^}]*}\|"client":{[^}]*}' rounds.jsonl
# The requests stand in the order in which they ended.
sed -n 's/.*"sent_s":\([0-9.e-]*\).*/\1/p' requests.jsonl | sort -g |
  awk 'NR == 1 { first = $1 } { last = $1 } END { printf "at the socket: %d requests, %.4f per second\n", NR, (NR - 1) / (last - first) }'
