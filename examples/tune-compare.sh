#!/bin/bash
# A baseline against candidates: each is searched for its largest request rate several times, and the table says what differs by more than noise.
# usage: tune-compare.sh CONFIGS LOW HIGH [OPTION of bisect]...
#
# CONFIGS as for sweep.sh beside this script, which does the work; its first line is the baseline. They are measured in the order A B C, C B A
# (PASSES: how many times; 2), so that a machine that gets warmer, or busier, favours none. A configuration's rate is the lowest of its
# runs: what every run passed. Prints a table in Markdown: the configuration, its max QPS, the difference to the baseline, the median
# latency at that rate, notes: also that the service died or was started again, or that the prefix cache was warm in some probes of a run
# and cold in others (hit rates more than 10 points apart). Candidates whose runs overlap the baseline's are not told apart from it, and none
# is called better than a baseline whose search ended early. Goes on where it was stopped, as sweep.sh does.
# Status: 0 all were measured, 1 some were not, 2 interrupted, 3 error.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=examples/in-order.sh
source "$here/in-order.sh"
die() { printf 'tune-compare.sh: %s\n' "$*" >&2; exit 3; }
if [[ ${1:-} == --help ]]; then
  sed '1d; /^#/!Q; s/^# \{0,1\}//' "$0"
  exit
elif (( $# < 3 )); then
  sed -n '/^# usage: /s/^# //p' "$0" >&2
  exit 3
fi
configs=$1
shift
passes=${PASSES:-2}
[[ $passes =~ ^[1-9]$ ]] || die "PASSES: not a number from 1 to 9"
[[ -r $configs && -f $configs ]] || die "$configs: cannot be read"
export OUT=${OUT:-results}
mkdir -p "$OUT" || exit 3

mapfile -t lines < <(grep -vE '^[[:space:]]*(#|$)' "$configs" | sed 's/^[[:space:]]*//')
(( ${#lines[@]} > 1 )) || die "$configs: a baseline and a candidate are needed"
order=()
for (( pass = 1; pass <= passes; ++pass )); do
  for (( i = 0; i < ${#lines[@]}; ++i )); do
    line=${lines[pass % 2 ? i : ${#lines[@]} - 1 - i]}
    [[ $line == *[[:space:]]* ]] || die "$configs: no COMMAND: $line"
    order+=("${line%%[[:space:]]*}.$pass ${line#*[[:space:]]}")
  done
done
printf '%s\n' "${order[@]}" >"$OUT/order.txt"

in_order "$here/sweep.sh" "$OUT/order.txt" "$@" >/dev/null
status=$?
(( status < 2 )) || exit "$status"

# The last result of each run, in the order of the configurations.
printf '%s\n' "${lines[@]}" | LC_ALL=C awk -v passes="$passes" -v results="$OUT/results.jsonl" '
  function member(name, line) {
    if (!match(line, "\"" name "\":(\"[^\"]*\"|[^,}]*)")) return "null"
    line = substr(line, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
    gsub(/"/, "", line)
    return line
  }
  function note(text) { notes = notes (notes == "" ? "" : "; ") text }
  function number(x) { return sprintf("%.10g", x) }
  BEGIN { while ((getline line < results) > 0) if (line ~ /}$/) last[member("name", line)] = line }
  {
    name = $1
    notes = runs = lowest = highest = p50 = ""
    for (pass = 1; pass <= passes; pass++) {
      line = last[name "." pass]
      status = line == "" ? "not measured" : member("status", line)
      rate = member("max_qps", line)
      if (status == "none") rate = 0
      if ((status != "found" && status != "none" && status != "capped") || rate == "null") {
        note("run " pass ": " status (member("reason", line) == "null" ? "" : ", " member("reason", line)))
        bad[name] = 1
        continue
      }
      if (status == "capped") { note("run " pass " ended early: " member("reason", line)); if (NR == 1) base_open = 1 }
      if (match(line, /"unstable_qps":\[[0-9.,]+\]/)) note("run " pass ": unstable at " substr(line, RSTART + 16, RLENGTH - 17))
      if (status == "none") note("run " pass ": no rate passes")
      if (member("service_died", line) == "true") note("run " pass ": the service died at " number(member("first_fail_qps", line)))
      if (member("relaunches", line) + 0 > 0) note("run " pass ": started again " member("relaunches", line) (member("relaunches", line) == 1 ? " time" : " times"))
      if (member("hit_rate_max", line) - member("hit_rate_min", line) > 0.1 + 1e-9) note(sprintf("run %d: hit rates from %.1f %% to %.1f %%", pass, 100 * member("hit_rate_min", line), 100 * member("hit_rate_max", line)))
      runs = runs (runs == "" ? "" : ", ") number(rate)
      if (lowest == "" || rate + 0 < lowest) { lowest = rate + 0; p50 = "" }
      if (rate + 0 == lowest && member("p50_s", line) != "null" && member("p50_s", line) + 0 > p50 + 0) p50 = member("p50_s", line)
      if (highest == "" || rate + 0 > highest) highest = rate + 0
    }
    delta = NR == 1 ? "baseline" : "n/a"
    if (bad[name] || lowest == "") { rate = "n/a"; bad[name] = 1; if (NR == 1) no_baseline = 1 }
    else {
      rate = number(lowest)
      if (highest > lowest) note("runs " runs)
      if (NR == 1) { base = lowest; base_highest = highest }
      else if (!no_baseline) {
        gain = lowest - base
        delta = sprintf("%+.10g", gain) (base > 0 ? sprintf(" (%+.2f %%)", gain / base * 100) : "")
        if (lowest <= base_highest && highest >= base) note("not told apart from the baseline")
        else if (gain > 0 && !base_open && (best == "" || lowest > best_rate || (lowest == best_rate && p50 + 0 < best_p50))) { best = name; best_rate = lowest; best_p50 = p50 + 0; best_delta = delta }
      }
    }
    row[NR] = "| " name " | " rate " | " delta " | " (p50 == "" ? "n/a" : sprintf("%.3f s", p50)) " | " notes " |"
    command = $0
    sub(/^[^ \t]+[ \t]+/, "", command)
    commands[NR] = "- " name ": `" command "`"
  }
  END {
    print "| cfg | max QPS | Δ | p50 | notes |\n|---|---|---|---|---|"
    for (i = 1; i <= NR; i++) print row[i]
    print ""
    for (i = 1; i <= NR; i++) print commands[i]
    print ""
    print no_baseline ? "The baseline has no result: nothing can be compared." : base_open ? "The search of the baseline ended early, and its rate may be higher: no candidate is called better." : best == "" ? "No candidate is better than the baseline by more than its runs differ." : "Best: " best ", " number(best_rate) " qps, " best_delta "."
  }'
exit "$status"
