# What the comparisons of clients share, to be sourced: a null server on one core, a client on another, and what the client
# costs while it runs. Needs BUILT. CPU is read from /proc over the client's whole process tree and requests are counted
# by the server, both over the same seconds in the middle of a run: start-up, of an interpreter or of a route, does not count.
# shellcheck shell=bash

# What is put before both commands. On a machine that does other things, AHEAD="chrt -f 1" lets what measures times run
# before all else; what measures cost needs no such thing, and would take both cores whole.
ahead=()
run_ahead() { read -ra ahead <<<"${AHEAD:-}"; }
server_core=${SERVER_CORE:-1} client_core=${CLIENT_CORE:-0}
scratch=$(mktemp -d)
server='' client=''
stop_all() {
  local process
  for process in $client $server; do kill "$process" 2>/dev/null; done
  rm -rf "$scratch"
}
trap stop_all EXIT

# start_server [OPTION]...: sets server and port.
start_server() {
  : >"$scratch/server"
  "${ahead[@]}" taskset -c "$server_core" "$BUILT/tests/bench/null_server" "$@" >"$scratch/server" &
  server=$!
  until [[ -s $scratch/server ]]; do sleep 0.05; done
  read -r port <"$scratch/server"
}

stop_server() { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; server=''; }

# server_report: what the server did since it was asked last, as one line of JSON, in report.
server_report() {
  local before tries
  before=$(wc -l <"$scratch/server")
  kill -USR1 "$server"
  for ((tries = 0; tries < 500 && $(wc -l <"$scratch/server") == before; tries++)); do sleep 0.005; done
  report=$(tail -n 1 "$scratch/server")
}

# field NAME: a number of report; field NAME QUANTILE: one of its distributions.
field() { sed -n "s/.*\"$1\":${2:+[^\}]*\"$2\":}\([0-9.e+-]*\).*/\1/p" <<<"$report"; }

# tree PID: the process and all its descendants.
tree() {
  local child
  echo "$1"
  for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do tree "$child"; done
}

# ticks PID: CPU time of the tree.
ticks() {
  local process sum=0 used
  for process in $(tree "$1"); do
    used=$(sed 's/.*) //' "/proc/$process/stat" 2>/dev/null | awk '{ print $12 + $13 }')
    sum=$((sum + ${used:-0}))
  done
  echo "$sum"
}

start_client() {
  "${ahead[@]}" taskset -c "$client_core" "$@" >"$scratch/client.out" 2>"$scratch/client.err" &
  client=$!
}

# cost SECONDS COMMAND...: runs the client, lets it warm up once it has begun to send, and prints "REQUESTS_PER_SECOND
# CPU_US_PER_REQUEST" over SECONDS. Fails, with the client's last words, when it ends before.
cost() {
  local seconds=$1 tries seen=0 after cpu0 t0 t1 process
  shift
  server_report
  start_client "$@"
  for ((tries = 0; tries < 600 && seen < 50; tries++)); do
    sleep 0.1
    server_report
    seen=$((seen + $(field requests)))
  done
  sleep "${WARM_UP:-0.5}"
  server_report
  cpu0=$(ticks "$client") t0=$EPOCHREALTIME
  sleep "$seconds"
  server_report
  after=$(ticks "$client") t1=$EPOCHREALTIME
  if ! kill -0 "$client" 2>/dev/null || (( after <= cpu0 )); then
    tail -n 2 "$scratch/client.err" >&2
    wait "$client"; client=''
    return 1
  fi
  for process in $(tree "$client"); do kill "$process" 2>/dev/null; done
  wait "$client" 2>/dev/null
  client=''
  awk -v n="$(field requests)" -v ticks=$((after - cpu0)) -v hz="$(getconf CLK_TCK)" -v t0="$t0" -v t1="$t1" \
    'BEGIN { if (n < 1) exit 1; printf "%.0f %.2f\n", n / (t1 - t0), ticks / hz / n * 1e6 }'
}

# median FILE COLUMN
median() {
  sort -g -k "$2,$2" "$1" |
    awk -v c="$2" '{ v[NR] = $c } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# The same request for the clients that take one.
body='{"model":"null","messages":[{"role":"user","content":"question 1"}],"max_tokens":50,"stream":true,"stream_options":{"include_usage":true}}'
wrk_script() {
  printf '%s\n' 'wrk.method = "POST"' 'wrk.headers["Content-Type"] = "application/json"' "wrk.body = '$body'" >"$scratch/post.lua"
}

# route ROWS FILE: short questions for replay.
route() {
  awk -v rows="$1" 'BEGIN { for (i = 0; i < rows; i++)
    printf "{\"ts\":%d,\"conv_id\":\"c%d\",\"body\":{\"prompt\":\"question %d\",\"max_tokens\":50}}\n", i, i, i }' >"$2"
}
