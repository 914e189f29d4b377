#!/bin/bash
# One of N load generators that together are one run: shard.sh I N START, I from 0. Prints its round records.
#
# All N are given the same, but for I: the rate, which is that of the whole run; the SEED, so that all agree on who sends
# what and when; a copy of the same ROUTE; and START, seconds since 1970. Each sends the requests of its own conversations
# at their own due times: the service sees the load of one generator, and round i covers the same seconds in every shard.
# START must be far enough ahead for the slowest to be ready (one that is late says so and ends with status 3), and the
# machines' clocks must agree (NTP) to well within a round. Keep one file a shard, and name them all to rounds-analyze:
#   rounds-analyze --total-rounds 8 --slo 6.5 shard-0.jsonl shard-1.jsonl …
# which adds up the sketches of each round and tells of rounds that a file lacks.
#
#   API_BASE  the server's API (http://127.0.0.1:8000/v1)   MODEL  the model's name there
#   ROUTE     requests to replay, JSON Lines (route.jsonl)  QPS    requests per second of all shards together (8)
#   ROUNDS, ROUND_DURATION  how many rounds of how many seconds (8, 30)     SEED  any number (1)
#   REPLAY_OPTIONS  further options of replay, in words, {} in them for I: --requests-out requests-{}.jsonl; for a server
#             that wants a key: --api-key-file FILE, which is to be on each machine
set -u
options=${REPLAY_OPTIONS:-}
[[ ${1:-} =~ ^[0-9]+$ && ${2:-} =~ ^[0-9]+$ && ${3:-} =~ ^[0-9]+$ ]] || { echo "usage: shard.sh I N START" >&2; exit 3; }
exec replay --input "${ROUTE:-route.jsonl}" --api-base "${API_BASE:-http://127.0.0.1:8000/v1}" \
  --model "${MODEL:-default}" --use-chat --disable-min-p --preselected-route \
  --replay-mode qps --target-qps "${QPS:-8}" --continuous-qps-window \
  --round-duration "${ROUND_DURATION:-30}" --max-rounds "${ROUNDS:-8}" \
  --shard "$1/$2" --start-at "$3" --seed "${SEED:-1}" --quiet ${options//\{\}/$1}
