# Stand-ins for replay, for the cases of the example scripts. Sourced in a fresh folder; EDGE is the made-up capacity.
mkdir bin
cp "$CASE/../fake-replay" bin/replay
export PATH=$PWD/bin:$PATH METRICS_URL=file://$PWD/metrics
echo 'vllm:prefix_cache_hits_total 5' >metrics
