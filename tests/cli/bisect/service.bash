# What the cases with a service share. Sourced in a fresh folder. The service is a program that only sleeps; at the end
# of a case nothing that it or bisect started may be left.
. "$CASE/../../serve-ctl/common.bash"
. "$CASE/../common.bash"

cat >serve <<'END'
#!/bin/bash
serve-ctl start --state s.json --log s.log -- bash -c 'echo "loading weights"; echo "out of frogs"; exec sleep 1000' >/dev/null
until grep -q frogs s.log; do sleep 0.01; done
END
# kills the service, as if by the load: hit SIGNAL
cat >hit <<'END'
#!/bin/bash
pid=$(grep -oP '"process":\{"pid":\K[0-9]+' s.json)
kill -"$1" "$pid"
while [[ $1 == KILL ]] && kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
END
chmod +x serve hit

start_service() { SERVE_CASE=$$ ./serve; }
stop_service() { ctl stop --state s.json --yes >/dev/null; }
search() { SERVE_CASE=$$ bisect -q --service s.json "$@"; }
# a probe from stdin
probe_is() { { echo '#!/bin/bash'; echo 'echo "$1" >>asked'; cat; } >probe; }

# of the probes of a search: rate, verdict, whether the service died, notes
probes() { grep '"event":"probe"' "$1" | sed -E 's/.*"qps":([0-9.]+),"status":"([A-Z]+)","measured":([a-z]+).*"notes":(\[[^]]*\]).*/\1 \2 measured:\3 \4/'; }
events() { grep '"event":"service"' "$1" | sed -E 's/.*"what":"([a-z]+)","qps":([0-9.a-z]+),"reason":"([^"]*)".*/\1 \2 \3/'; }
result() { tail -n 1 "$1" | grep -oE '"(max_qps|first_fail_qps|converged|reason|relaunches|unstable_qps|cache_reset_failures|probes)":(\[[^]]*\]|[^,]*)' | tr '\n' ' '; echo; }
