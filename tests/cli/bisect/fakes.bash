# Stand-ins for replay, for the cases of the example scripts. Sourced in a fresh folder; EDGE is the made-up capacity.
mkdir bin
cat >bin/replay <<'END'
#!/bin/bash
echo "$*" >>replay.asked
while (( $# > 0 )); do
  case $1 in
    --target-qps) qps=$2 ;;
    --max-rounds) rounds=$2 ;;
  esac
  shift
done
(( 10#${qps/./} <= 10#${EDGE/./} )) && p50=4.5 || p50=9.25
for (( i = 1; i <= rounds; i++ )); do
  echo "{\"measurement_round\":$i,\"success_rate\":100.0,\"Latency\":{\"unit\":\"s\",\"p50\":$p50}}"
done
exit "${REPLAY_STATUS:-0}"
END
chmod +x bin/replay
export PATH=$PWD/bin:$PATH METRICS_URL=file://$PWD/metrics
echo 'vllm:prefix_cache_hits_total 5' >metrics
