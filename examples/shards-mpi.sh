#!/bin/bash
# One run from the ranks of an MPI launcher: Open MPI, MPICH and those that descend from it.
# usage: shards-mpi.sh N [OPTION of mpirun]...
#
# What is sent is set by the environment, see shard.sh beside this script. All nodes share this folder, the ROUTE and
# OUT, a folder to which rank I writes shard-I.jsonl. SLO, TAIL_WINDOW: for the verdict (6.5, 4). LEAD: seconds until the
# start (15). Prints the verdict; status as of rounds-analyze.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}
if [[ $rank && ${START:-} ]]; then
  "$here/shard.sh" "$rank" "${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}" "$START" >"$OUT/shard-$rank.jsonl"
  # A rank that fails takes the others with it: right when it never ran, wrong when its requests failed.
  status=$?
  (( status < 3 )) || exit "$status"
  exit 0
fi

[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || { sed -n '3s/^# //p' "$0" >&2; exit 3; }
shards=$1
shift
OUT=$(realpath -m "${OUT:-results}")
mkdir -p "$OUT" || exit 3
rm -f "$OUT"/shard-*.jsonl
# By env, because the launchers do not agree on how to hand variables to other nodes.
mpirun -n "$shards" "$@" env START=$(( $(date +%s) + ${LEAD:-15} )) OUT="$OUT" \
  ROUTE="$(realpath "${ROUTE:-route.jsonl}")" API_BASE="${API_BASE:-http://127.0.0.1:8000/v1}" MODEL="${MODEL:-default}" \
  QPS="${QPS:-8}" ROUNDS="${ROUNDS:-8}" ROUND_DURATION="${ROUND_DURATION:-30}" SEED="${SEED:-1}" \
  REPLAY_OPTIONS="${REPLAY_OPTIONS:-}" PATH="$PATH" "$here/shards-mpi.sh" || exit 3
files=()
for (( i = 0; i < shards; ++i )); do files+=("$OUT/shard-$i.jsonl"); done
rounds-analyze --total-rounds "${ROUNDS:-8}" --tail-window "${TAIL_WINDOW:-4}" --slo "${SLO:-6.5}" "${files[@]}"
