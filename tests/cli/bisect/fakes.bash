# Stand-ins for replay and prom-snap, for the cases of the example scripts. Sourced in a fresh folder; EDGE is the made-up capacity.
mkdir bin
cp "$CASE/../fake-replay" bin/replay
cp "$CASE/../fake-prom-snap" bin/prom-snap
export PATH=$PWD/bin:$PATH METRICS_URL=http://made-up/metrics
