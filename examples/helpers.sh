#!/bin/bash
# Helpers for a benchmark session, one line each at a prompt or in a script:   . examples/helpers.sh
# The shell that sources this keeps its options. A helper that fails says why on stderr and returns 1; with DRY_RUN=1 commands are
# printed and nothing is run, awaited or slept. examples/plans and card-compile plan say which runs make a phase.
#
#   cooldown                                  a pause between two configurations
#   prompt_restart WHAT                       asks for a service to be started anew, and waits for Enter
#   wait_healthy URL [SECONDS]                until URL/health answers (600)
#   capture_metrics LABEL [URL]               a snapshot of URL/metrics in RESULT_DIR/LABEL_metrics.txt
#   capture_metrics URL FILE                  the same in FILE; two of them are what prom-diff compares
#   capture_kv_metrics LABEL [URL]            what of it is about KV caches in RESULT_DIR/LABEL_kv_metrics.txt, all of it in
#                                             RESULT_DIR/LABEL_full_metrics.txt; also URL FILE, with all of it in FILE.full
#   metrics_between LABEL LABEL               what prom-diff finds between two captures
#   run_bench LABEL URL DATASET IN OUT QPS [OPTION]...       RUNS repetitions of a load; QPS may be inf
#   run_bench_custbench LABEL COUNT IN OUT QPS [DATASET] [OPTION]...   so many prompts at VLLM_URL, with fixed sampling values
#
# DATASET is random, generated-shared-prefix (IN: its system prompt), prefix_repetition (IN, OUT: its prefix and suffix), or the
# name of another of the tool's, whose lengths are its own. OPTION, with = or a word after: --num-prompts N, those that begin with --gsp- or
# --prefix-repetition-, and, for vllm bench serve alone, any of its own. Arrivals at a rate are Poisson's, and of replay about as many as
# there are prompts. A label that was used is refused: its repetitions are of one session.
#
#   RUN_TOOL    replay (by card-compile), vllm (vllm bench serve) or sglang (by card-compile)
#   MODEL_NAME  the model; MODEL_PATH its tokenizer for vllm (MODEL_NAME)    VLLM_URL  http://localhost:8000
#   RESULT_DIR  results/session-DATE    RUNS 3    WARMUP 30 requests    COOLDOWN 60 seconds    RUN_GAP 5 seconds between repetitions
#   DATASET_PATH  the file of a data set such as sharegpt    KV_CACHE_DIR  a folder of offloaded KV blocks (/mnt/fsx/kv-cache)
#   CARD_OPTIONS  further options of card-compile, in words    CAPTURE_RETRIES 2

RESULT_DIR=${RESULT_DIR:-./results/session-$(date +%Y%m%d-%H%M)}

_slo_say() { printf 'helpers.sh: %s\n' "$*" >&2; }
_slo_fail() { _slo_say "$@"; return 1; }
_slo_dry() { [[ ${DRY_RUN:-0} != 0 ]]; }
_slo_show() {
  local word line=
  for word; do
    [[ $word =~ ^[A-Za-z0-9_@%+=:,./-]+$ ]] || printf -v word %q "$word"
    line+=" $word"
  done
  printf '%s\n' "${line# }"
}
_slo_is_url() { [[ $1 =~ ^https?://[^[:space:]]+$ ]]; }
_slo_is_label() { [[ $1 =~ ^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$ ]]; }
_slo_is_count() { [[ $1 =~ ^[1-9][0-9]{0,8}$ ]]; }
_slo_is_number() { [[ $1 =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)$ && $1 =~ [1-9] ]]; }
_slo_sleep() { if _slo_dry; then _slo_show sleep "$1"; else sleep "$1"; fi; }

cooldown() {
  local seconds=${COOLDOWN:-60}
  [[ $seconds =~ ^[0-9]{1,6}$ ]] || { _slo_fail "COOLDOWN: not a number of seconds: $seconds"; return; }
  (( seconds == 0 )) || _slo_sleep "$seconds"
}

prompt_restart() {
  (( $# )) || { _slo_fail "usage: prompt_restart WHAT"; return; }
  printf 'Start anew: %s\n' "$*" >&2
  _slo_dry && return
  printf 'Enter when that is done: ' >&2
  local line
  read -r line || _slo_fail "nobody is there to start it: standard input has ended"
}

wait_healthy() {
  local url=${1:-} limit=${2:-600} end last
  _slo_is_url "$url" && [[ $limit =~ ^[0-9]{1,6}$ ]] || { _slo_fail "usage: wait_healthy URL [SECONDS]"; return; }
  if _slo_dry; then _slo_show curl -fsS "${url%/}/health"; return; fi
  end=$(( SECONDS + limit ))
  until last=$(curl -fsS --max-time 10 -o /dev/null "${url%/}/health" 2>&1); do
    (( SECONDS < end )) || { _slo_fail "${url%/}/health: no answer within $limit s: ${last##*$'\n'}"; return; }
    sleep "${HEALTH_INTERVAL:-2}"
  done
}

# Sets _slo_page, where a page of metrics comes from, and _slo_file: of LABEL [URL] with SUFFIX, or of URL FILE.
_slo_target() {
  local suffix=$1 url
  shift
  if (( $# == 2 )) && _slo_is_url "$1" && [[ $2 && $2 != -* ]] && ! _slo_is_url "$2"; then
    url=$1 _slo_file=$2
  elif (( $# == 1 || $# == 2 )) && _slo_is_label "$1" && _slo_is_url "${2:-${VLLM_URL:-http://localhost:8000}}"; then
    url=${2:-${VLLM_URL:-http://localhost:8000}} _slo_file=$RESULT_DIR/$1_$suffix.txt
  else
    _slo_fail "usage: ${FUNCNAME[1]} LABEL [URL], or ${FUNCNAME[1]} URL FILE"
    return
  fi
  url=${url%/}
  [[ $url == */metrics ]] || url=${url%/v1}/metrics
  _slo_page=$url
}

# What was there under FILE is gone when a capture fails: an old page must not be taken for a new one.
_slo_capture() {
  if _slo_dry; then _slo_show prom-snap --url "$1" --timeout 20 --retry "${CAPTURE_RETRIES:-2}" -o "$2"; return; fi
  mkdir -p "$(dirname "$2")" && rm -f "$2" && prom-snap --url "$1" --timeout 20 --retry "${CAPTURE_RETRIES:-2}" -o "$2" ||
    _slo_fail "no metrics of $1 in $2"
}

capture_metrics() {
  local _slo_page _slo_file
  _slo_target metrics "$@" && _slo_capture "$_slo_page" "$_slo_file"
}

# The samples of FILE whose lines match PATTERN.
_slo_section() {
  printf '# %s\n' "$1"
  grep -v '^#' "$2" | grep -iE "$3" || echo "# (none)"
}

capture_kv_metrics() {
  local _slo_page _slo_file full store=${KV_CACHE_DIR:-/mnt/fsx/kv-cache}
  _slo_target kv_metrics "$@" || return
  full=$_slo_file.full
  (( $# == 2 )) && _slo_is_url "$1" || full=$RESULT_DIR/$1_full_metrics.txt
  _slo_dry || rm -f "$_slo_file"
  _slo_capture "$_slo_page" "$full" || return
  ! _slo_dry || return 0
  {
    _slo_section "engine" "$full" 'prefix_cache|cached_tokens|cache_usage|token_usage|num_preemption|retracted|swap|requests_(running|waiting)|(running|waiting)_requests|num_(running|queue)_reqs|cache_config'
    _slo_section "KV block manager and connectors" "$full" 'kvbm|device_pool|cpu_pool|disk_pool|tier.*(hit|miss)|offload|evict|nixl|transfer_(bytes|latency)|lmcache|hicache'
    printf '# %s\n' "$store"
    if [[ -d $store ]]; then du -sh "$store"; find "$store" -mindepth 1 -maxdepth 1 -printf '%TFT%TT %s %f\n' | sort -r | head -n 20; else echo "# (not there)"; fi
    echo "# GPUs: index, memory used, total, free in MiB"
    if command -v nvidia-smi >/dev/null; then
      nvidia-smi --query-gpu=index,memory.used,memory.total,memory.free --format=csv,noheader,nounits || echo "# (nvidia-smi failed)"
    else
      echo "# (no nvidia-smi)"
    fi
  } >"$_slo_file" || _slo_fail "$_slo_file: cannot be written"
}

metrics_between() {
  (( $# == 2 )) && _slo_is_label "$1" && _slo_is_label "$2" || { _slo_fail "usage: metrics_between LABEL LABEL"; return; }
  local command=(prom-diff "$RESULT_DIR/$1_metrics.txt" "$RESULT_DIR/$2_metrics.txt")
  if _slo_dry; then _slo_show "${command[@]}"; else "${command[@]}"; fi
}

# Reads the options of a run into the variables of _slo_bench.
_slo_options() {
  local word value
  while (( $# )); do
    word=$1
    shift
    if [[ ${word%%=*} =~ ^--(num-prompts$|gsp-|prefix-repetition-) ]]; then
      if [[ $word == *=* ]]; then value=${word#*=} word=${word%%=*}
      elif (( $# )); then value=$1; shift
      else _slo_fail "$word wants a number"; return; fi
      _slo_is_count "$value" || { _slo_fail "$word: not a whole number above 0: $value"; return; }
    fi
    case $word in
      --num-prompts) count=$value ;;
      --gsp-num-groups | --prefix-repetition-num-prefixes) groups=$value ;;
      --gsp-system-prompt-len | --prefix-repetition-prefix-len) prefix=$value ;;
      --gsp-question-len | --prefix-repetition-suffix-len) suffix=$value ;;
      --gsp-output-len | --prefix-repetition-output-len) answer=$value ;;
      --gsp-* | --prefix-repetition-*) _slo_fail "$word is no option of a run"; return ;;
      *) extra+=("$word") ;;
    esac
  done
}

_slo_vllm_command() {
  command=(vllm bench serve --model "$MODEL_NAME" --tokenizer "${MODEL_PATH:-$MODEL_NAME}" --backend openai-chat --base-url "${url%/}"
    --endpoint /v1/chat/completions --num-prompts "$count" --num-warmups "${WARMUP:-30}" --request-rate "$qps"
    --metric-percentiles "25,50,75,90,95,99" --percentile-metrics "ttft,tpot,itl,e2el" "${sampling[@]}"
    --save-result --save-detailed --result-dir "$at")
  case $dataset in
    random) command+=(--dataset-name random --random-input-len "$in" --random-output-len "$out") ;;
    # vLLM has no generated-shared-prefix: this is its data set of the same shape.
    generated-shared-prefix | prefix_repetition)
      command+=(--dataset-name prefix_repetition --prefix-repetition-prefix-len "$prefix" --prefix-repetition-suffix-len "$suffix"
        --prefix-repetition-num-prefixes "$groups" --prefix-repetition-output-len "$answer") ;;
    *) command+=(--dataset-name "$dataset" ${DATASET_PATH:+--dataset-path "$DATASET_PATH"}) ;;
  esac
  # With one seed all repetitions would send the same prompts, and all but the first find them in the prefix cache.
  (( run == 1 )) || command+=(--seed $(( run - 1 )))
  command+=("${extra[@]}")
}

# A card of this one run; names of models and files are the user's own.
_slo_card() {
  local data load
  case $dataset in
    random) data="\"type\":\"synthetic\",\"input_tokens\":$in,\"output_tokens\":$out" ;;
    generated-shared-prefix | prefix_repetition)
      data="\"type\":\"generated-shared-prefix\",\"shared_prefix_tokens\":$prefix,\"unique_suffix_tokens\":$suffix,\"prefix_groups\":$groups,\"output_tokens\":$answer" ;;
    *) data="\"type\":\"real\",\"source\":\"$dataset\"${DATASET_PATH:+,\"dataset_path\":\"$DATASET_PATH\"}" ;;
  esac
  if [[ $qps == inf ]]; then load='"type":"open-loop"'; else load="\"type\":\"poisson\",\"request_rate\":$qps"; fi
  printf '{"catalog_id":"%s","use_case":"session","description":"A run of helpers.sh.","modality":"text",\n "dataset":{%s},\n "load":{%s,"num_prompts":%s,"warmup_requests":%s},\n "slo":{}}\n' \
    "$label" "$data" "$load" "$count" "${WARMUP:-30}"
}

# Each label has prompts of its own, and so has each repetition: those of an earlier run are in the server's prefix cache.
_slo_card_command() {
  local first
  first=$(cksum <<<"$label")
  # shellcheck disable=SC2206  # words
  command=(card-compile "$at/card.json" --sidecar "$at/sidecar.json" --tool "$RUN_TOOL" --base-url "${url%/}" --model "$MODEL_NAME"
    --seed $(( ${first%% *} % 1000000 * 100 + run )) --run -o "$at/run_$run" ${CARD_OPTIONS:-})
}

# Runs what the variables of its caller say. A shell with set -e must not end before the failure is said.
_slo_bench() {
  local -
  set +e +o pipefail
  local RUN_TOOL=${RUN_TOOL:-replay} runs=${RUNS:-3} at=$RESULT_DIR/$label run status
  local groups=4 prefix=$in suffix=256 answer=$out extra=() command=()
  [[ $dataset != prefix_repetition ]] || suffix=$out answer=128
  _slo_is_label "$label" || { _slo_fail "not a label: $label"; return; }
  _slo_is_url "$url" || { _slo_fail "not a URL: $url"; return; }
  _slo_is_label "$dataset" || { _slo_fail "not a data set: $dataset"; return; }
  _slo_is_count "$in" && _slo_is_count "$out" && _slo_is_count "$count" ||
    { _slo_fail "not whole numbers above 0: $in, $out, $count"; return; }
  [[ $qps == inf ]] || _slo_is_number "$qps" || { _slo_fail "neither a rate nor inf: $qps"; return; }
  _slo_is_count "$runs" || { _slo_fail "RUNS: not a whole number above 0: $runs"; return; }
  [[ ${WARMUP:-30} =~ ^[0-9]{1,6}$ ]] || { _slo_fail "WARMUP: not a whole number: $WARMUP"; return; }
  [[ ${MODEL_NAME:-} ]] || { _slo_fail "MODEL_NAME is not set"; return; }
  [[ $RUN_TOOL =~ ^(replay|vllm|sglang)$ ]] || { _slo_fail "RUN_TOOL: neither replay, vllm nor sglang: $RUN_TOOL"; return; }
  [[ ! ${DATASET_PATH:-}$MODEL_NAME =~ [\"\\[:cntrl:]] ]] || { _slo_fail "a quote or a backslash in MODEL_NAME or DATASET_PATH"; return; }
  _slo_options "$@" || return
  case $dataset in
    random | generated-shared-prefix | prefix_repetition) ;;
    *)
      [[ $RUN_TOOL == vllm || ${DATASET_PATH:-} ]] || { _slo_fail "$label: DATASET_PATH is not set: $dataset needs its file"; return; }
      _slo_say "$label: the lengths $in and $out say nothing about $dataset, which has its own"
      ;;
  esac
  [[ $RUN_TOOL == vllm ]] || (( ${#extra[@]} == 0 )) || { _slo_fail "$label: not for $RUN_TOOL: ${extra[*]}"; return; }
  if ! _slo_dry; then
    [[ ! -e $at ]] || { _slo_fail "$at is there already: take another label, or remove it"; return; }
    mkdir -p "$at" || { _slo_fail "$at: cannot be made"; return; }
    [[ $RUN_TOOL == vllm ]] || { _slo_card >"$at/card.json" && printf '{"model":{"id":"%s"}}\n' "$MODEL_NAME" >"$at/sidecar.json"; } ||
      { _slo_fail "$at: cannot be written"; return; }
  fi
  for (( run = 1; run <= runs; ++run )); do
    if [[ $RUN_TOOL == vllm ]]; then _slo_vllm_command; else _slo_card_command; fi
    if _slo_dry; then _slo_show "${command[@]}"; continue; fi
    (( run == 1 )) || sleep "${RUN_GAP:-5}"
    "${command[@]}" 2>&1 | tee "$at/run_$run.log"
    status=${PIPESTATUS[0]}
    (( status == 0 )) || { _slo_fail "$label: repetition $run of $runs ended with status $status; see $at/run_$run.log"; return; }
  done
}

run_bench() {
  (( $# >= 6 )) || { _slo_fail "usage: run_bench LABEL URL DATASET IN OUT QPS [OPTION]... (six words, not $#)"; return; }
  local label=$1 url=$2 dataset=$3 in=$4 out=$5 qps=$6 count=100 sampling=()
  shift 6
  _slo_bench "$@"
}

run_bench_custbench() {
  (( $# >= 5 )) || { _slo_fail "usage: run_bench_custbench LABEL COUNT IN OUT QPS [DATASET] [OPTION]... (five words, not $#)"; return; }
  local label=$1 count=$2 in=$3 out=$4 qps=$5 url=${VLLM_URL:-http://localhost:8000} dataset=random
  local sampling=(--temperature 0.7 --top-p 0.8 --top-k 20)
  shift 5
  if (( $# )) && [[ $1 != -* ]]; then dataset=$1; shift; fi
  _slo_bench "$@"
}
