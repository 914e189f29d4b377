#!/bin/bash
# The largest request rate of each of many configurations of a service, one after the other, through the night.
# usage: sweep.sh CONFIGS LOW HIGH [OPTION of bisect]...
#
# A line of CONFIGS is NAME COMMAND…, the words of COMMAND as a shell would take them, quotes and all, but nothing is expanded and no shell
# runs it; blank lines and lines with # are passed over. Each service is started by serve-ctl, waited for, searched by
# max-qps.sh beside this script (which says what the environment sets), and stopped: only what was started here is ever stopped, and
# nothing is started while somebody else answers at API_BASE. A search that takes longer than MAX_TIME seconds (14400) ends
# with what it found. A service that dies under load has failed at that rate: it is started again, and the search goes on below.
#
# What came out is appended to OUT/results.jsonl (results), one line a configuration, and printed: status found, none (no rate passes), capped
# (ended before it converged), dead (the service could not be started, was not ready in time, died, or did not come back) or error. With it
# come the reason, how often the service was started again, whether the first fail was its death, how far the hit rates of the probes lie
# apart, and the notes of the search. No rate passes only where client and server counted the same: else that is an error. The same command
# goes on where it was stopped: what is found, none or capped is not measured again, what is dead or error is. OUT/NAME holds the logs.
# Status: 0 all are found or none, 1 some are not, 2 interrupted, 3 error.
#
#   START_TIMEOUT, OFFLOAD   seconds for a service to get ready (600); OFFLOAD=1: KV cache offload, 900, 16 rounds, tail 8
#   GPUS   so many cards that hold at most 2 GiB, chosen at each start: CUDA_VISIBLE_DEVICES
#   Secrets belong into the environment (OPENAI_API_KEY) or into files, not into CONFIGS: lines that hold some are refused.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/in-order.sh
source "$here/in-order.sh"
say() { printf 'sweep.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 3; }
usage() { sed -n '/^# usage: /s/^# //p' "$0" >&2; exit 3; }
if [[ ${1:-} == --help ]]; then
  sed '1d; /^#/!Q; s/^# \{0,1\}//' "$0"
  exit
fi
[[ $# -ge 3 && $2 =~ ^[0-9]+(\.[0-9]+)?$ && $3 =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage
configs=$1 low=$2 high=$3
shift 3
out=${OUT:-results} start_timeout=${START_TIMEOUT:-600}
[[ $start_timeout =~ ^[1-9][0-9]{0,5}$ ]] || die "START_TIMEOUT: not a number of seconds"
[[ ${MAX_TIME:-14400} =~ ^[1-9][0-9]{0,6}$ ]] || die "MAX_TIME: not a number of seconds"
export API_BASE=${API_BASE:-http://127.0.0.1:8000/v1} ROUTE=${ROUTE:-route.jsonl}
[[ $API_BASE =~ ^https?://(\[([0-9a-fA-F:]+)\]|([^][/:@]+))(:([0-9]{1,5}))?(/|$) ]] || die "API_BASE: not a URL: $API_BASE"
host=${BASH_REMATCH[2]}${BASH_REMATCH[3]} port=${BASH_REMATCH[5]}
if [[ ! $port ]]; then [[ $API_BASE == https:* ]] && port=443 || port=80; fi
[[ ! ${GPUS:-} || $GPUS =~ ^[1-9][0-9]?$ ]] || die "GPUS: not a number of cards"

wait_options=(--timeout "$start_timeout")
search_options=("$@")
if [[ ${OFFLOAD:-} ]]; then
  wait_options=(--offload)
  [[ ! ${START_TIMEOUT:-} ]] || wait_options+=(--timeout "$start_timeout")
  search_options+=(--offload)
fi
[[ ! ${START_TIMEOUT:-} ]] || search_options+=(--relaunch-timeout "$start_timeout")
[[ " $* " == *" --max-time"* || " $* " == *" --budget"* ]] || search_options+=(--max-time "${MAX_TIME:-14400}")

names=() commands=() words=()
# Sets words. xargs knows quotes, and expands nothing.
split_words() { mapfile -d '' -t words < <(xargs printf '%s\0' <<<"$1"); }
read_configs() {
  local line number=0 name command word secret='(^|[-_])(api[-_]?key|token|secret|password)$'
  shopt -s nocasematch
  while IFS= read -r line || [[ $line ]]; do
    number=$(( number + 1 ))
    [[ ! $line =~ ^[[:space:]]*(#|$) ]] || continue
    read -r name command <<<"$line"
    [[ $name =~ ^[a-z0-9][a-z0-9._-]{0,63}$ ]] || die "$configs:$number: NAME is of letters, digits, and . _ -"
    [[ " ${names[*]} " != *" $name "* ]] || die "$configs:$number: $name stands twice"
    xargs printf '%s\0' <<<"$command" >/dev/null 2>&1 || die "$configs:$number: a quote is not closed"
    split_words "$command"
    [[ ${words[0]} ]] || die "$configs:$number: no COMMAND"
    for word in "${words[@]}"; do
      if [[ ${word%%=*} =~ $secret && ( $word == *=?* || $word == -* ) && ! $word =~ -file ]]; then
        die "$configs:$number: a secret on a command line; use the environment or a file"
      fi
    done
    names+=("$name")
    commands+=("$command")
  done <"$configs"
  shopt -u nocasematch
  (( ${#names[@]} )) || die "$configs: no configurations"
}
[[ -r $configs && -f $configs ]] || die "$configs: cannot be read"
read_configs
[[ -r $ROUTE ]] || die "$ROUTE: cannot be read"
mkdir -p "$out" || exit 3
results=$out/results.jsonl
# One sweep at a time: what a killed one left searching holds this file, too, until it ends; the services do not.
exec 9>"$out/.lock" || exit 3
flock -n 9 || die "$out: another sweep, or the search of a killed one, is at work there"
# A line that a killed sweep left torn.
[[ ! -s $results || -z $(tail -c 1 "$results") ]] || echo >>"$results"

# What is measured, in one number: another one is another measurement.
route_digest=$(sha256sum <"$ROUTE") || exit 3
fingerprint() {
  split_words "$1"
  shift
  printf '%s\0' "${words[@]}" -- "$low" "$high" "$@" "${route_digest%% *}" "$API_BASE" "${MODEL:-}" "${ROUND_DURATION:-}" \
    "${REPLAY_OPTIONS:-}" "${SAMPLE_PER_QPS:-}" "${SHARDS:-}" "${PROBE:-}" | sha256sum | cut -c 1-16
}

# The status of the last result of NAME; "other" where that is one of another FINGERPRINT, and stands.
known_result() {
  local line
  line=$(grep -F "{\"schema\":\"sloutils.sweep/1\",\"name\":\"$1\"," "$results" 2>/dev/null | grep '}$' | tail -n 1)
  [[ $line =~ \"status\":\"([a-z]+)\",\"fingerprint\":\"([0-9a-f]+)\" ]] || return 0
  if [[ ${BASH_REMATCH[2]} == "$2" || ${BASH_REMATCH[1]} == dead || ${BASH_REMATCH[1]} == error ]]; then echo "${BASH_REMATCH[1]}"; else echo other; fi
}

# shellcheck disable=SC2016  # for the inner shell
answers() { timeout 5 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$host" "$port" 2>/dev/null; }
quoted() { local word; for word; do printf " '%s'" "${word//\'/\'\\\'\'}"; done; }

# A service of ours is stopped, in whatever way this ends.
state=
stop_ours() {
  [[ $state && -e $state ]] || return 0
  serve-ctl stop --state "$state" --yes --grace "${STOP_GRACE:-30}" >/dev/null || say "${state%/*}: could not be stopped; see $state"
  state=
}
trap stop_ours EXIT

# Sets CUDA_VISIBLE_DEVICES; false where too few cards are free.
choose_gpus() {
  local free
  [[ ${GPUS:-} ]] || return 0
  free=$(nvidia-smi --query-gpu=index,memory.used --format=csv,noheader,nounits |
    awk -F ', *' -v wanted="$GPUS" '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $2 <= 2048 && n < wanted { list = list (n++ ? "," : "") $1 } END { if (n == wanted) print list }')
  [[ $free ]] || return 1
  export CUDA_VISIBLE_DEVICES=$free
}

# The member $1 of the JSON line $2, as it stands: a number, true, false or null.
member() { if [[ $2 =~ \"$1\":([-0-9.eE+]+|true|false|null|\"[^\"\\]*\") ]]; then echo "${BASH_REMATCH[1]}"; else echo null; fi; }

# append NAME STATUS FINGERPRINT WHY BEGAN: adds to the results what the search of NAME says of itself.
append() {
  local result='' probe='' max_qps unstable='' died=null notes=
  [[ ! -e $out/$1/search.jsonl ]] || result=$(grep '"event":"result"' "$out/$1/search.jsonl" | tail -n 1)
  max_qps=$(member max_qps "$result")
  [[ ! -e $out/$1/journal.jsonl ]] || probe=$(grep -F "\"qps\":$max_qps,\"status\":\"PASS\"" "$out/$1/journal.jsonl" | tail -n 1)
  [[ ! $result =~ \"unstable_qps\":(\[[0-9.,]*\]) ]] || unstable=${BASH_REMATCH[1]}
  if [[ $result ]]; then
    [[ $result == *'"service_died":true'* || $(member reason "$result") == '"service_died'* ]] && died=true || died=false
    # They come last in a result.
    [[ ! $result =~ \"notes\":(\[.*\])\}$ ]] || notes=${BASH_REMATCH[1]}
  fi
  printf '{"schema":"sloutils.sweep/1","name":"%s","status":"%s","fingerprint":"%s","max_qps":%s,"first_fail_qps":%s,"unstable_qps":%s,"converged":%s,"reason":%s,"p50_s":%s,"hit_rate":%s,"hit_rate_min":%s,"hit_rate_max":%s,"relaunches":%s,"service_died":%s,"probes":%s,"slo_s":%s,"began_at":"%s","elapsed_s":%d,"notes":%s}\n' \
    "$1" "$2" "$3" "$max_qps" "$(member first_fail_qps "$result")" "${unstable:-[]}" "$(member converged "$result")" \
    "${4:-$(member reason "$result")}" "$(member avg_p50_latency_s "$probe")" "$(member hit_rate "$result")" \
    "$(member hit_rate_min "$result")" "$(member hit_rate_max "$result")" "$(member relaunches "$result")" "$died" "$(member probes "$result")" \
    "$(member slo_s "$result")" "$(date -u -d "@$5" +%Y-%m-%dT%H:%M:%SZ)" $(( $(date +%s) - $5 )) "${notes:-[]}" | tee -a "$results"
}

# One configuration, from its start to its end. Its result is appended unless the sweep was interrupted.
measure() {
  local name=$1 command=$2 print=$3 folder=$out/$1 began status kind result reason why=
  began=$(date +%s)
  mkdir -p "$folder" || exit 3
  # What a killed sweep left running is ours, too.
  state=$folder/service.json
  stop_ours
  state=$folder/service.json
  ! answers || { state=; die "$API_BASE: somebody else's service answers there; it is not stopped"; }
  choose_gpus || { state=; die "fewer than $GPUS cards are free"; }
  split_words "$command"
  { echo "#!/bin/sh"; echo "exec 9>&-"; echo "exec serve-ctl start$(quoted --state "$state" --log "$folder/service.log" --name "$name" --api-base "$API_BASE" -- "${words[@]}")"; } >"$folder/start"
  chmod +x "$folder/start"
  if ! "$folder/start" >"$folder/start.json"; then
    append "$name" dead "$print" '"not started"' "$began"
    return
  fi
  in_order serve-ctl wait --state "$state" "${wait_options[@]}" >"$folder/wait.json"
  status=$?
  [[ ! $interrupted ]] || return
  if (( status )); then
    stop_ours
    append "$name" dead "$print" '"not ready"' "$began"
    return
  fi
  OUT=$folder in_order "$here/max-qps.sh" "$low" "$high" --service "$state" --relaunch "$(quoted "$folder/start")" "${search_options[@]}" >"$folder/max-qps.txt"
  status=$?
  # Some searches end in the same moment: what they found counts, if they were not cut off.
  [[ ! $interrupted ]] || return
  result=$(grep -s '"event":"result"' "$folder/search.jsonl" | tail -n 1)
  reason=$(member reason "$result")
  if (( status == 0 )) && [[ $(member max_qps "$result") == null ]]; then status=3; fi
  case $status in 0) kind=found ;; 1) kind=none ;; 2) kind=capped ;; *) kind=error why='"no result"' ;; esac
  # Who counts otherwise than the server has not measured that nothing passes.
  if [[ $kind == none && $(member reconciled "$result") == false ]]; then kind=error why='"not reconciled"'; fi
  case $reason in
    '"service_'* | '"relaunch_failed"') kind=dead why= ;;
    *) if (( status > 1 )) && [[ $(serve-ctl status --state "$state") == *'"alive":false'* ]]; then kind=dead why='"died"'; fi ;;
  esac
  stop_ours
  append "$name" "$kind" "$print" "$why" "$began"
}

# Nothing is started before all is known to be in order.
prints=()
for (( i = 0; i < ${#names[@]}; ++i )); do
  prints[i]=$(fingerprint "${commands[i]}" "$@")
  [[ $(known_result "${names[i]}" "${prints[i]}") != other ]] ||
    die "${names[i]}: measured otherwise in $results (another command, route or search); take another name or OUT"
done
failures=0
for (( i = 0; i < ${#names[@]}; ++i )); do
  known=$(known_result "${names[i]}" "${prints[i]}")
  case $known in
    found | none | capped) say "${names[i]}: $known before" ;;
    *)
      say "${names[i]}: $(( i + 1 )) of ${#names[@]}"
      # A search that broke off without a result begins anew; one that was interrupted goes on.
      [[ ! $known || ! -e $out/${names[i]}/journal.jsonl ]] || mv -f "$out/${names[i]}/journal.jsonl" "$out/${names[i]}/journal.old"
      measure "${names[i]}" "${commands[i]}" "${prints[i]}"
      [[ ! $interrupted ]] || { say "interrupted"; exit 2; }
      known=$(known_result "${names[i]}" "${prints[i]}")
      say "${names[i]}: $known"
      ;;
  esac
  [[ $known == found || $known == none ]] || failures=1
done
exit "$failures"
