# Sourced by the cases: `serve OPTION...` starts engine-sim on a free port and sets $url; it is stopped at the end.
serve() {
  engine-sim serve --port 0 --port-file port "$@" 2>served &
  server=$!
  trap 'kill "$server" 2>/dev/null' EXIT
  for _ in $(seq 200); do
    [[ -e port ]] && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.02
  done
  url=http://127.0.0.1:$(<port)
}

# post PATH BODY [CURL OPTION...]
post() {
  local path=$1 body=$2
  shift 2
  curl -sS --max-time 10 "$url$path" -H 'Content-Type: application/json' -d "$body" "$@"
}

# Takes out what differs from run to run.
steady() {
  sed -E 's/"created":[0-9]+/"created":0/g; s/"id":"(chatcmpl|cmpl)-[0-9a-f]{16}"/"id":"\1-ID"/g'
}
