# Sourced by the cases of sweep.sh and tune-compare.sh. Each service is engine-sim for real, at $port; a probe asks it for its model,
# edge-N, and passes up to N qps. What is started can be told by EXAMPLES_CASE in its environment.
. "$CASE/../../replay/lib.sh"
port=$(free_port)
export API_BASE=http://127.0.0.1:$port/v1 EXAMPLES_CASE=$$ PROBE=$PWD/probe STOP_GRACE=5 MODEL=any
"$EXAMPLES/make-route.sh" 3 >route.jsonl
cat >probe <<'END'
#!/bin/bash
edge=$(curl -s "$API_BASE/models" | grep -o 'edge-[0-9]*' | head -n 1)
[[ $edge ]] || exit 3
echo "$1" >>"$OUT/asked"
[[ ! -e $OUT/../slow ]] || sleep 30
if [[ -e $OUT/../kill && ${1%.*} -ge $(<"$OUT/../kill") ]]; then
  service=$(grep -oP '"process":\{"pid":\K[0-9]+' "$OUT/service.json")
  kill -KILL "$service"
  while [[ -e /proc/$service ]]; do sleep 0.01; done
  exit 2
fi
# What a diff of metrics would say.
[[ ! -e $OUT/../diff ]] || sed "s/RATE/0.${1%.*}/" "$OUT/../diff"
if (( ${1%.*} <= ${edge#edge-} )); then echo "{\"status\":\"PASS\",\"avg_p50_latency_s\":0.${edge#edge-}}"; exit 0; fi
echo '{"status":"FAIL","avg_p50_latency_s":9.5}'
exit 1
END
chmod +x probe

. "$CASE/../left.bash"
# What a result says, without its moments.
plain() { sed -E 's/"fingerprint":"[0-9a-f]{16}"/"fingerprint":"F"/; s/"began_at":"[0-9TZ:-]+","elapsed_s":[0-9]+/"began_at":"T","elapsed_s":N/'; }
