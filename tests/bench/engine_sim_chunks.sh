#!/bin/bash
# How many streamed chunks a second engine-sim serves on one core: 256 streams of 2000 tokens each, with steps so short
# (1 ms) that the server, not the engine's physics, is the limit. The server's CPU time is read from /proc; the client
# runs on another core. Needs BUILT (the build folder) and engine-sim on PATH, as `make bench` sets them.
set -eu
scratch=$(mktemp -d)
engine-sim serve --port 0 --port-file "$scratch/port" --max-num-seqs 512 --step-base 1 --step-sequence 0 \
  --step-prefill-token 0 --kv-blocks 65536 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT
until [[ -e $scratch/port ]]; do sleep 0.05; done
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
for run in 1 2 3; do
  before=$(cpu_ticks)
  read -r chunks seconds < <("$BUILT/tests/bench/engine_sim_load" "$(<"$scratch/port")" 256 2000)
  after=$(cpu_ticks)
  awk -v run="$run" -v chunks="$chunks" -v seconds="$seconds" -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" 'BEGIN {
    printf "run %d: %d chunks in %.2f s = %.0f chunks/s; server CPU %.2f s = %.0f chunks per CPU second\n",
      run, chunks, seconds, chunks / seconds, ticks / hz, chunks / (ticks / hz) }'
done
