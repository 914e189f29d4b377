#!/bin/bash
# A workload card, measured and written up: the sidecar is checked, the load runs between two captures of the server's
# metrics, client and server are joined into an artifact, the artifact is judged, and a page is made of it.
#   examples/bench.sh CARD [API_BASE]
# CARD is a name in examples/cards, or a file. Without an API_BASE (http://HOST:PORT/v1) it measures engine-sim, which it
# starts itself.
#   SIDECAR    what is deployed (examples/benchmark.yaml)   OUT       where everything goes, a new folder (bench-CARD)
#   CLAIM      what the artifact must bear (baseline)       RUNS      repetitions (1; 3 to 5 to compare by)
#   TOOL       replay, vllm or sglang (replay)              COOLDOWN  seconds between repetitions (0)
#   SEED       of the prompts (the time, so that no prompt is known to a server that was measured before)
#   TOKENIZER  as route-build takes it (the server's; engine-sim's own for engine-sim)
# The status is 0 where every artifact bears the claim, 1 where one does not, 2 where it was
# interrupted, 3 where something could not be done.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "bench.sh: $*" >&2; exit 3; }
(( $# == 1 || $# == 2 )) || fail "usage: bench.sh CARD [API_BASE]"
card=$1
[[ -e $card ]] || card=$here/cards/$1.yaml
[[ -e $card ]] || fail "$1: neither a file nor a card in examples/cards"
sidecar=${SIDECAR:-$here/benchmark.yaml}
name=$(basename "$card" .yaml)
out=${OUT:-bench-$name}
[[ ! -e $out ]] || fail "$out is there already"
for file in "$card" "$sidecar" "$out"; do [[ $file != *[[:space:]\'\"\\]* ]] || fail "$file: a name with blanks, quotes or backslashes"; done

[[ ${CLAIM:-baseline} =~ ^(smoke|baseline|production)$ ]] || fail "CLAIM: smoke, baseline or production"

said=$(config-check --quiet "$sidecar") || { echo "$said"; fail "$sidecar: config-check says what is wrong"; }
needs=$(grep -o 'the artifact needs besides: [^"]*' <<<"$said") && fail "$sidecar: $needs"
if [[ ${2:-} ]]; then
  url=${2%/}
  url=${url%/v1}
  curl -sS --max-time 10 -o /dev/null "$url/v1/models" || fail "$url/v1 does not answer"
fi
mkdir -p "$out" || exit 3
begun= # nothing is measured yet: a folder with nothing in it would only be in the way
running=
end() {
  [[ -z $running ]] || kill -TERM -- "-$running" 2>/dev/null || :
  [[ -z ${engine:-} ]] || kill "$engine" 2>/dev/null || :
  [[ $begun ]] || rm -rf -- "$out"
}
trap end EXIT
trap 'exit 2' INT TERM HUP

tokenizer=${TOKENIZER:+--tokenizer $TOKENIZER}
if [[ -z ${url:-} ]]; then
  engine-sim serve --profile small --port 0 --port-file "$out/port" 2>"$out/engine.log" &
  engine=$!
  until [[ -s $out/port ]]; do
    kill -0 "$engine" 2>/dev/null || fail "engine-sim did not start: $(tail -n 1 "$out/engine.log")"
    sleep 0.05
  done
  url=http://127.0.0.1:$(<"$out/port")
  tokenizer=${tokenizer:---tokenizer sim}
fi

cat >"$out/plan.yaml" <<END
plan: bench
warmup_requests: 30
repetitions: ${RUNS:-1}
cooldown_s: ${COOLDOWN:-0}
gap_s: ${COOLDOWN:-0}
engines:
  service: {url: "$url", framework: custom, sidecar: "$(realpath "$sidecar")"}
phases:
  - id: bench
    runs:
      - {label: "$name", engine: service, card: "$(realpath "$card")"}
END
# A server that was measured before has the prompts of that seed in its prefix cache.
# shellcheck disable=SC2086 # options in words
card-compile plan "$out/plan.yaml" --script --tool "${TOOL:-replay}" --seed "${SEED:-$(date +%s)}" $tokenizer -o "$out" \
  >"$out/plan.sh" || fail "the card cannot be run so"
echo "bench.sh: $(sed -n 's/^# Plan bench: //p' "$out/plan.sh")" >&2
# The service is there: nobody needs to be asked to start it, nor to wait for it.
sed '/^printf .*Enter when it is started/,/^until curl/d' "$out/plan.sh" >"$out/run.sh"
# In a process group of its own, so that all of it ends with this script.
begun=yes
set -m
bash "$out/run.sh" >"$out/run.log" 2>&1 &
running=$!
set +m
ended=0
wait "$running" || ended=$?
running=
if (( ended != 0 )); then
  tail -n 3 "$out/run.log" >&2
  echo "bench.sh: the run ended early, or an artifact could not be made; see $out/run.log" >&2
fi

# What each artifact was made of stands in its line of the script.
made_of() { # OPTION ARTIFACT
  awk -v option="$1" -v artifact="$2" '/^envelope-build / {
    for (i = 2; i < NF; ++i) { if ($i == option) file = $(i + 1); if ($i == "-o" && $(i + 1) == artifact) print file } }' "$out/run.sh"
}

status=0
shopt -s nullglob
artifacts=("$out"/artifacts/*/*.json)
(( ${#artifacts[@]} > 0 )) || exit 3
(( ended == 0 )) || status=3
for artifact in "${artifacts[@]}"; do
  run-validate "$artifact" --card "$out/$name/card.json" --claim "${CLAIM:-baseline}" --in-place >>"$out/validity.jsonl" || {
    (( $? == 1 )) || fail "$artifact cannot be judged"
    (( status == 3 )) || status=1
  }
  page=${artifact%.json}.html
  (( ${#artifacts[@]} > 1 )) || page=$out/report.html
  # shellcheck disable=SC2046 # a client of another make has no records of its own
  report html "$artifact" $(made_of --rounds "$artifact") $(made_of --requests "$artifact") --title "$name" -o "$page"
  echo "$page: $(grep -o '"classification": *"[a-z_]*"' "$artifact" | tail -n 1 | cut -d'"' -f4)"
done
(( ${#artifacts[@]} == 1 )) || report table "${artifacts[@]}"
exit $status
