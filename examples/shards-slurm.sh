#!/bin/bash
#SBATCH --job-name=replay-shards
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --time=00:30:00
# One run from the nodes of a Slurm job, a shard a task: API_BASE=… sbatch shards-slurm.sh
#
# What is sent is set by the environment, see shard.sh; sbatch hands it on. SHARD: where shard.sh is on the nodes, because
# Slurm runs a copy of this script from elsewhere. ROUTE and OUT are on a file system that all nodes share. SLO, TAIL_WINDOW:
# for the verdict (6.5, 4). LEAD: seconds from here to the start, time enough for srun to reach all nodes (30).
set -u
export SHARD=${SHARD:-/usr/local/share/sloutils/examples/shard.sh}
export START=$(( $(date +%s) + ${LEAD:-30} ))
out=${OUT:-results}
shards=$SLURM_NTASKS
mkdir -p "$out" || exit 3

# srun says each task's number in SLURM_PROCID and keeps its output in a file of its own (%t). A late shard has status 3.
srun --ntasks="$shards" --output="$out/shard-%t.jsonl" --error="$out/shard-%t.err" \
  bash -c '"$SHARD" "$SLURM_PROCID" "$SLURM_NTASKS" "$START"; status=$?; exit $(( status < 3 ? 0 : status ))' ||
  { cat "$out"/shard-*.err >&2; exit 3; }
files=()
for (( i = 0; i < shards; ++i )); do files+=("$out/shard-$i.jsonl"); done
rounds-analyze --total-rounds "${ROUNDS:-8}" --tail-window "${TAIL_WINDOW:-4}" --slo "${SLO:-6.5}" "${files[@]}"
