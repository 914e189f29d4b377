# What the cases of replay share. Source it: . "$CASE/../lib.sh"

# Starts the canned server; $port is where it listens, requests.log what it was sent, file $1 the heads of that.
serve() {
  rm -f port
  canned_server requests.log "$@" >port &
  server=$!
  disown "$server"
  servers+=("$server")
  trap 'kill "${servers[@]}" "${fronts[@]}" 2>/dev/null' EXIT
  until [[ -s port ]]; do sleep 0.02; done
  port=$(<port)
}

# The API base that behaves as named.
base() { echo "http://127.0.0.1:$port/$1/v1"; }

# A port on which nobody listens.
free_port() {
  canned_server >free &
  local pid=$!
  until [[ -s free ]]; do sleep 0.02; done
  kill "$pid"
  wait "$pid" 2>/dev/null
  cat free
}

# COUNT rows, one a second, each its own conversation (or all of conversation CONV).
route() {
  local i
  for ((i = 0; i < $1; ++i)); do
    echo "{\"ts\":$((1755000000 + i)),\"conv_id\":\"${2:-c$i}\",\"body\":{\"prompt\":\"question $i\",\"max_tokens\":3}}"
  done
}

# Of round records: the number, the counts, the errors that happened, the flags.
rounds() {
  sed -E 's/.*"measurement_round":([0-9]+).*"counts":\{([^}]*)\},"errors":\{([^}]*)\}.*"flags":\[([^]]*)\].*/\1 \2 errors{\3} flags[\4]/' |
    sed -E 's/"//g; s/[a-z0-9_]+:0,?//g; s/,?\}/}/'
}

# Starts engine-sim with the given options; $port is where it listens.
simulate() {
  rm -f port
  engine-sim serve --profile small --port 0 --port-file port "$@" 2>sim.log &
  server=$!
  disown "$server"
  servers+=("$server")
  trap 'kill "${servers[@]}" "${fronts[@]}" 2>/dev/null' EXIT
  until [[ -s port ]]; do sleep 0.02; done
  port=$(<port)
}

# Starts nghttpx in front of 127.0.0.1:$port, by HTTPS with the certificate $DATA/tls/$cert.pem (server where
# unset), or with clear=yes by HTTP/2 without TLS; $front is where it listens. It takes no port 0.
front() {
  local where tls=()
  rm -f free
  front=$(free_port)
  where="127.0.0.1,$front${clear:+;no-tls}"
  [[ ${clear-} ]] || tls=("$DATA/tls/server.key" "$DATA/tls/${cert:-server}.pem")
  nghttpx --conf=/dev/null -f"$where" -b"127.0.0.1,$port" --single-process --errorlog-file=front.log \
    --accesslog-file=/dev/null "$@" "${tls[@]}" 2>/dev/null &
  disown $!
  fronts+=($!)
  trap 'kill "${servers[@]}" "${fronts[@]}" 2>/dev/null' EXIT
  until (exec 3<>"/dev/tcp/127.0.0.1/$front") 2>/dev/null; do sleep 0.02; done
}
servers=() fronts=()

# What a transport says of its first failure, and the counts of the round: replays 3 rows to API base $1.
try() {
  local to=$1
  shift
  route 3 >route.jsonl
  replay route.jsonl --api-base "$to" --replay-mode qps --target-qps 30 --round-duration 1 --max-rounds 1 \
    --quiet "$@" 2>err | rounds
  sed -E "s/:${front:-none}/:FRONT/g; s/:${port:-none}/:PORT/g" err
}
