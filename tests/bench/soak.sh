#!/bin/bash
# Searches one after the other against engine-sim while a tormentor kills it (-9), freezes it for 15 s, starts it anew with
# lost counters, and kills bisect itself, at random moments; every second search has an engine that is killed, as if for want
# of memory, at any rate above a limit. Each search must end in the right answer, no probe may pass that should not, and
# no process of a search may be left behind. PASS or FAIL comes last, and is the status.
# usage: soak.sh [SECONDS]   (3600; no search begins after that)   SEED=1
set -u
seconds=${1:-3600}
RANDOM=${SEED:-1}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/sloutils-soak.XXXXXX")
cd "$scratch" || exit 3
bench=${BASH_SOURCE[0]}
[[ $bench == /* ]] || bench=$OLDPWD/$bench
examples=$(dirname "$bench")/../../examples

state=$scratch/service.json
slo=1.25 low=4 high=12 rounds=4
engine=(--profile small --max-num-seqs 4 --step-base 20 --step-sequence 0 --step-prefill-token 0 --step-context-token 0)
"$examples/make-route.sh" 400 >route.jsonl || exit 3

field() { sed -n "s/.*\"$1\":\(\"[^\"]*\"\|[^,}]*\).*/\1/p"; }
engine_pid() { sed -n 's/.*"process":{"pid":\([0-9]*\).*/\1/p' "$state"; }
# Processes that carry MARK in their environment and are alive.
carrying() {
  local file pid
  for file in $(grep -lzsx "$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/} pid=${pid%/environ}
    [[ $(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null) == [!Z] ]] && echo "$pid"
  done
}

tormentor=
finish() {
  [[ -z $tormentor ]] || { kill "$tormentor"; wait "$tormentor"; } 2>/dev/null
  serve-ctl stop --state "$state" --yes --grace 2 >/dev/null 2>&1
  local pid
  for pid in $(carrying "SOAK_SEARCH=$$-.*"); do kill -KILL "$pid"; done
  [[ -n ${KEEP:-} ]] || rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 2' INT TERM

# The service is no part of a search, whoever starts it.
cat >start <<END
#!/bin/bash
unset SOAK_SEARCH
exec serve-ctl start --state $state --api-base "http://127.0.0.1:\$(<$scratch/port)/v1" -- \\
  engine-sim serve --port "\$(<$scratch/port)" ${engine[*]} >/dev/null
END
cat >probe <<END
#!/bin/bash
# \$1 requests per second; above \$LIMIT the engine does not survive.
if awk "BEGIN { exit !(\$1 > \$LIMIT) }"; then
  ( sleep 1; kill -KILL "\$(sed -n 's/.*"process":{"pid":\([0-9]*\).*/\1/p' $state)" ) 2>/dev/null &
fi
measure() {
replay $scratch/route.jsonl --api-base "http://127.0.0.1:\$(<$scratch/port)/v1" --model sim-small --use-chat --disable-min-p \\
  --preselected-route --loop-route --quiet --replay-mode qps --target-qps "\$1" --continuous-qps-window --round-duration 2 \\
  --max-rounds \$SLO_TOTAL_ROUNDS --seed \$SLO_SEED | rounds-analyze --slo \$SLO_SLO --total-rounds \$SLO_TOTAL_ROUNDS \\
  --tail-window \$SLO_TAIL_WINDOW
status=("\${PIPESTATUS[@]}")
}
measure "\$1"
# A whole run without a verdict is one that this machine spoilt, being busy otherwise.
for again in 1 2; do (( status[0] == 0 && status[1] == 2 )) && measure "\$1"; done
wait
(( status[0] <= 2 )) || exit "\${status[0]}"
exit "\${status[1]}"
END
chmod +x start probe

# A port that is free, from an engine that is asked for one.
serve-ctl start --state "$state" -- engine-sim serve --port 0 --port-file port >/dev/null || exit 3
for _ in {1..200}; do [[ -s port ]] && break; sleep 0.05; done
serve-ctl stop --state "$state" --yes >/dev/null
./start >/dev/null || exit 3

truth() { engine-sim capacity "${engine[@]}" --route route.jsonl --slo "e2e:p50<$slo" | field qps; }
capacity=$(truth)
echo "the engine's capacity: $capacity qps"

# What it does is written down, so that a search can say what it went through.
torment() {
  local pid
  RANDOM=$(( ${SEED:-1} + 1000 ))
  while :; do
    sleep $(( 20 + RANDOM % 35 ))
    pid=$(engine_pid)
    case $(( RANDOM % 4 )) in
      0) echo kill >>torments; kill -KILL "$pid" ;;
      1) echo freeze >>torments; kill -STOP "$pid"; sleep 15; kill -CONT "$pid" ;;
      2) echo restart >>torments; serve-ctl stop --state "$state" --yes --grace 2; ./start ;;
      3) echo searcher >>torments; kill -KILL "$(<searcher)" ;;
    esac >/dev/null 2>&1
  done
}
: >torments
torment &
tormentor=$!

failures=0 searches=0
wrong() { echo "  WRONG: $*"; failures=$(( failures + 1 )); }
while (( SECONDS < seconds )); do
  searches=$(( searches + 1 ))
  limit=1000
  (( searches % 2 )) || limit=$(( 5 + RANDOM % 3 ))
  before=$(wc -l <torments) begun=$SECONDS
  command=(bisect --low "$low" --high "$high" --precision 1 --slo "$slo" --total-rounds "$rounds" --tail-window 2 --confirm 1
    --journal "journal-$searches" --service "$state" --relaunch "$scratch/start" --relaunch-timeout 60 --retry-died 5
    --quiet -- "$scratch/probe" '{qps}')
  resumed=-1 status=137
  while (( status == 137 )); do
    resumed=$(( resumed + 1 ))
    LIMIT=$limit SOAK_SEARCH=$$-$searches "${command[@]}" >"out-$searches" 2>>"err-$searches" &
    echo $! >searcher
    wait $!
    status=$?
  done 2>/dev/null
  result=$(tail -n 1 "out-$searches")
  best=$(field max_qps <<<"$result")
  printf 'search %d: %s qps, %s, status %d, %s probes, %d s; limit %d; relaunched %s, resumed %d; torments:%s\n' "$searches" \
    "$best" "$(field reason <<<"$result")" $status "$(field probes <<<"$result")" $(( SECONDS - begun )) $limit \
    "$(field relaunches <<<"$result")" $resumed "$(tail -n +$(( before + 1 )) torments | sort | uniq -c | tr -s '\n ' '  ')"
  (( status == 0 )) || wrong "status $status"
  if (( limit < 1000 )); then
    [[ $best == "$limit.0" ]] || wrong "the engine dies above $limit"
  else
    awk -v best="${best/null/0}" -v truth="$capacity" 'BEGIN { exit !(best - truth <= 1 && truth - best <= 1) }' ||
      wrong "more than a step from $capacity"
  fi
  while read -r passed; do
    awk -v passed="$passed" -v truth="$capacity" -v limit=$limit 'BEGIN { exit !(passed > limit || passed > truth + 1) }' &&
      wrong "$passed qps passed"
  done < <(grep '"event":"probe"' "journal-$searches" | grep '"status":"PASS"' | field qps)
  for _ in {1..40}; do
    left=$(carrying "SOAK_SEARCH=$$-$searches")
    [[ -n $left ]] || break
    sleep 0.1
  done
  [[ -z $left ]] || wrong "left behind: $(ps -o pid=,args= -p "$(paste -sd, <<<"$left")")"
done

echo "$searches searches, $(wc -l <torments) torments, $failures things wrong"
(( failures == 0 && searches > 0 )) && echo PASS && exit 0
echo FAIL
exit 1
