# Sourced by the cases: serves the files of ./pages as whole HTTP answers; sets $url. See tests/support/file_server.cpp.
mkdir pages
unset OPENAI_API_KEY
serve() {
  "$(dirname "$(command -v prom-snap)")/../tests/support/file_server" pages >port &
  server=$!
  trap 'kill "$server" 2>/dev/null' EXIT
  for _ in $(seq 200); do [[ -s port ]] && break; sleep 0.02; done
  url=http://127.0.0.1:$(<port)
}

# page NAME [CONTENT-TYPE [STATUS]]: makes a page of stdin.
page() {
  cat >body
  printf 'HTTP/1.1 %s As told\r\nContent-Type: %s\r\nContent-Length: %s\r\nConnection: close\r\n\r\n' \
    "${3:-200}" "${2:-text/plain; version=0.0.4}" "$(stat -c %s body)" | cat - body >"pages/$1"
}

# Takes out what differs from run to run.
steady() {
  sed -E "s/time=[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z/time=TIME/; s/duration_s=[0-9]+\.[0-9]{3}/duration_s=D/; s/:$(<port)\>/:PORT/g
    s/\"time\":\"[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z\"/\"time\":\"TIME\"/; s/\"duration_s\":[0-9.e-]+/\"duration_s\":0/"
}
