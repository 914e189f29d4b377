# Sourced by the cases. `ctl VERB ...` is serve-ctl, all of whose processes can be told by SERVE_CASE in their environment:
# at the end of a case none may be left.
ctl() { SERVE_CASE=$$ serve-ctl "$@"; }

# Processes of this case that are alive, one a line.
left() {
  local file pid state
  for file in $(grep -lzsx "SERVE_CASE=$$" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    pid=${pid%/environ}
    state=$(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null)
    [[ -z $state || $state == Z ]] || echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
  done
}

at_end() {
  local try
  for try in $(seq 100); do
    [[ -n $(left) ]] || return
    sleep 0.05
  done
  echo "left behind:"
  left | tee /dev/stderr | while read -r pid _; do kill -KILL "$pid"; done
}
trap at_end EXIT

# until_true COMMAND ...: for at most ten seconds.
until_true() {
  local try
  for try in $(seq 200); do
    "$@" && return
    sleep 0.05
  done
  echo "never true: $*"
}

# member FILE NAME...: the members of the one record of a file.
member() {
  local file=$1 name
  shift
  for name; do printf '%s=%s ' "$name" "$(grep -oP "\"$name\":\K(\"[^\"]*\"|[^,}]*)" "$file" | head -1)"; done
  echo
}

alive() { [[ -e /proc/$1/stat && $(sed 's/.*) //; s/ .*//' "/proc/$1/stat") != Z ]]; }
pid_of() { grep -oP "\"$2\":\{\"pid\":\K[0-9]+" "$1"; }

# simulate STATE OPTION...: engine-sim as a service, $base its API.
simulate() {
  local state=$1
  shift
  rm -f port
  ctl start --state "$state" -- engine-sim serve --port 0 --port-file port --step-base 1 "$@" >started || return
  until_true test -s port
  base=http://127.0.0.1:$(<port)/v1
}

# docker from now on is the one beside this file.
fake_docker() {
  mkdir engine tools
  cp "$CASE/../docker" tools
  export FAKE_DOCKER=$PWD/engine PATH=$PWD/tools:$PATH
}
