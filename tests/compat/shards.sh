#!/bin/bash
# Do shards make up the run of one process, under GNU parallel, under Open MPI, and from machines at different distances
# (network namespaces)? Not part of `make check`: wants root, `apt install parallel openmpi-bin iproute2 python3`, and
#   make && make FILTER=nothing programs-for-check build/release/tests/bench/null_server
#   tests/compat/shards.sh [ENGINE]...        (parallel, mpi, namespaces: all)
# Prints what it found, and PASS or FAIL for each; the status is 1 when anything failed. BUILT: where the build is.
set -u
project=$(cd "$(dirname "$0")/../.." && pwd)
built=${BUILT:-$project/build/release}
PATH=$built/bin:$built/tests/bench:$PATH
work=$(mktemp -d)
name=slo$$ pids=()
cleanup() {
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null
  for ns in server 0 1; do ip netns del "$name-$ns" 2>/dev/null; done
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
failed=0
check() { if [[ $1 == yes ]]; then echo "PASS  $2"; else echo "FAIL  $2"; failed=1; fi; }

"$project/examples/make-route.sh" 400 >route.jsonl
export MODEL=null QPS=60 ROUNDS=3 ROUND_DURATION=2 ROUTE=$work/route.jsonl SLO=2 TAIL_WINDOW=3 SEED=7
requests=$((QPS * ROUNDS * ROUND_DURATION))

# Every answer takes 50 ms to its first token and 10 ms for each of the 49 others: 540 ms.
serve() { # WHERE: a prefix of the command
  rm -f port
  $1 null_server --ttft-ms 50 --itl-ms 10 --tokens 50 >port 2>server.log &
  pids+=($!)
  until [[ -s port ]]; do sleep 0.05; done
  port=$(grep -oE '[0-9]+' port | head -n 1)
}

sent() { grep -h sloutils.request/1 "$@" | grep -oE '"(id|conv_id|round|due_s)":[^,]*' | paste - - - - | sort; }
latencies() { grep -h "\"round\":$1," "${@:2}" | sed -E 's/.*"due_s":([^,]*),.*"end_s":([^,]*),.*/\1 \2/' | awk '{ printf "%.9f\n", $2 - $1 }' | sort -g; }
median() { awk '{ v[NR] = $1 } END { printf "%.6f\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
near() { awk -v a="$1" -v b="$2" -v part="$3" -v more="${4:-0}" 'BEGIN { d = a - b; if (d < 0) d = -d; print (d <= part * b + more ? "yes" : "no") }'; }

# The same load from one process, to compare with.
one_process() {
  API_BASE=http://127.0.0.1:$port/v1 REPLAY_OPTIONS="--requests-out $work/one.requests" \
    $1 "$project/examples/shard.sh" 0 1 "$(($(date +%s) + 2))" >one.rounds
  sent one.requests >one.sent
  rounds-analyze --ignore-client --total-rounds 3 --tail-window 3 --slo 2 one.rounds >one.json
}
p50s() { sed -E 's/.*"per_round_p50":\[([^]]*)\].*/\1/' "$1" | tr ',' ' '; }

# NAME FAR_S: the records of the shards lie in NAME/; they are up to FAR_S further from the server than the one process.
# Beyond the error of the sketches two runs may differ by what the rounds of one differ by themselves.
compare() {
  local at=$1 merged single round exact spread
  sent "$at"/*.requests >"$at.sent"
  check "$(cmp -s one.sent "$at.sent" && echo yes)" "$at: the requests, ids and due times of one process ($(wc -l <"$at.sent") of $requests)"
  due=$(grep -ho '"due":[0-9]*' "$at"/shard-?.jsonl | awk -F: '{ sum += $2 } END { print sum }')
  check "$([[ $due == "$requests" ]] && echo yes)" "$at: counts of all shards add up to $requests"
  rounds-analyze --ignore-client --total-rounds 3 --tail-window 3 --slo 2 "$at"/shard-?.jsonl >"$at.json"
  read -ra merged <<<"$(p50s "$at.json")"
  read -ra single <<<"$(p50s one.json)"
  spread=$(printf '%s\n' "${single[@]}" | sort -g | awk -v far="$2" 'NR == 1 { low = $1 } END { print $1 - low + far }')
  for round in 1 2 3; do
    exact=$(latencies "$round" "$at"/*.requests | median)
    check "$(near "${merged[round - 1]:-0}" "$exact" 0.005)" "$at: round $round, merged p50 ${merged[round - 1]:-none}, of all requests $exact"
    check "$(near "${merged[round - 1]:-0}" "${single[round - 1]:-0}" 0.005 "$spread")" "$at: round $round, of one process ${single[round - 1]:-none}"
  done
}

with_parallel() {
  mkdir parallel
  API_BASE=http://127.0.0.1:$port/v1 OUT=$work/parallel SHARDS=3 LEAD=6 \
    REPLAY_OPTIONS="--requests-out $work/parallel/{}.requests" "$project/examples/shards-parallel.sh" : >parallel.verdict
  check "$( (($? == 0 || $? == 2)) && grep -q '"rounds_seen":3,.*"shard_merge":"sketch"' parallel.verdict && echo yes)" \
    "parallel: $(parallel --version | head -n 1) ran the example to its verdict"
  compare parallel 0
}

with_mpi() {
  mkdir mpi
  API_BASE=http://127.0.0.1:$port/v1 OUT=$work/mpi LEAD=6 REPLAY_OPTIONS="--requests-out $work/mpi/{}.requests" \
    "$project/examples/shards-mpi.sh" 3 --oversubscribe --allow-run-as-root >mpi.verdict
  check "$( (($? == 0 || $? == 2)) && grep -q '"rounds_seen":3,.*"shard_merge":"sketch"' mpi.verdict && echo yes)" \
    "mpi: $(mpirun --version | head -n 1) ran the example to its verdict"
  compare mpi 0
}

# Two clients, each in a namespace of its own, 2 and 5 ms from the server in a third.
with_namespaces() {
  local shard near_port delay_ms=(2 5) start shards=()
  ip netns add "$name-server"
  ip -n "$name-server" link set lo up
  serve "ip netns exec $name-server"
  mkdir namespaces
  for shard in 0 1; do
    ip netns add "$name-$shard"
    ip -n "$name-$shard" link set lo up
    ip link add "slo$shard" netns "$name-$shard" type veth peer name "slo$shard" netns "$name-server"
    ip -n "$name-$shard" address add "10.99.$shard.2/30" dev "slo$shard"
    ip -n "$name-server" address add "10.99.$shard.1/30" dev "slo$shard"
    ip -n "$name-$shard" link set "slo$shard" up
    ip -n "$name-server" link set "slo$shard" up
    # The server listens on the loopback of its namespace only.
    ip netns exec "$name-server" python3 "$project/tests/compat/delay.py" 127.0.0.1 "$port" 0 "10.99.$shard.1" >"far$shard" &
    pids+=($!)
    until [[ -s far$shard ]]; do sleep 0.05; done
    ip netns exec "$name-$shard" python3 "$project/tests/compat/delay.py" \
      "10.99.$shard.1" "$(<"far$shard")" "${delay_ms[shard]}" 127.0.0.1 >"near$shard" &
    pids+=($!)
    until [[ -s near$shard ]]; do sleep 0.05; done
  done
  one_process "ip netns exec $name-server"
  start=$(($(date +%s) + 4))
  for shard in 0 1; do
    near_port=$(<"near$shard")
    API_BASE=http://127.0.0.1:$near_port/v1 REPLAY_OPTIONS="--requests-out namespaces/{}.requests" \
      ip netns exec "$name-$shard" "$project/examples/shard.sh" "$shard" 2 "$start" >"namespaces/shard-$shard.jsonl" &
    shards+=($!)
  done
  for shard in "${shards[@]}"; do wait "$shard" || check no "namespaces: a shard ended with status $?"; done
  compare namespaces 0.005
}

(($#)) || set -- parallel mpi namespaces
serve ""
one_process ""
for engine in "$@"; do "with_$engine"; done
exit $failed
