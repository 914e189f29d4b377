# Sourced by cases that start services to stay: all of their processes can be told by EXAMPLES_CASE in their environment, and
# none may be left. `left` says whether any is; at the end of a case, also one that took too long, each is ended.
export EXAMPLES_CASE=$$
of_this_case() {
  local file
  for file in $(grep -lzsx "EXAMPLES_CASE=$$" /proc/[0-9]*/environ); do
    file=${file%/environ}
    [[ ${file#/proc/} == "$$" ]] || ! tr '\0' ' ' <"$file/cmdline" | grep -qE 'engine-sim|serve-ctl|bisect|probe|replay' || echo "${file#/proc/}"
  done 2>/dev/null
}
left() {
  local try
  for try in $(seq 100); do
    [[ -n $(of_this_case) ]] || { echo "nothing left"; return; }
    sleep 0.05
  done
  echo "left behind"
}
at_end() {
  local pid
  for pid in $(of_this_case); do kill -KILL "$pid"; done 2>/dev/null
}
trap at_end EXIT
trap 'exit 1' TERM
