#!/bin/bash
# Makes a folder ready for measurements: one data set, copied once, and what gpu-preflight says of the machine.
# usage: bootstrap.sh --mount DIR --dataset FILE [--workdir DIR] [--raw] [--kv-offload-gib GIB]
#
# FILE is the one data set of this session. It is named, never guessed: an absolute path that lies under DIR, symbolic links
# resolved. It is copied into WORKDIR/datasets by its own name; another call takes the copy if it is still the same, and refuses
# another. A route is checked row by row before it gets its name; --raw is for what is none (a pool, a trace). What the machine is
# fit for stands in WORKDIR/.health_check.json afterwards; that it is unfit is said, and does not end this script.
#
# Prints two lines that a shell can read,   eval "$(bootstrap.sh …)"   , and everything else on stderr:
#   WORKDIR='…'   where to work (default: LLM_BENCH_DIR, else ~/sloutils-bench); runs go to WORKDIR/bench-runs
#   DATASET='…'   the copy
# Status 0, or 3 with the reason.
#
#   LLM_BENCH_SHARED_MOUNT, LLM_BENCH_DATASET_SRC   stand for --mount (DIR/data) and --dataset where these are not given
#   PREFLIGHT_OPTIONS   further options of gpu-preflight, in words
set -u
die() { printf 'bootstrap.sh: %s\n' "$*" >&2; exit 3; }
usage() { sed -n '/^# usage: /s/^# //p' "$0" >&2; exit 3; }
quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

mount=${LLM_BENCH_SHARED_MOUNT:+$LLM_BENCH_SHARED_MOUNT/data}
dataset=
workdir=${LLM_BENCH_DIR:-${HOME:-}/sloutils-bench}
raw=
preflight=()
while (( $# )); do
  case $1 in
    --help) sed '1d; /^#/!Q; s/^# \{0,1\}//' "$0"; exit ;;
    --raw) raw=1; shift; continue ;;
    --mount | --dataset | --workdir | --kv-offload-gib) [[ ${2:-} ]] || usage ;;
    *) usage ;;
  esac
  case $1 in
    --mount) mount=$2 ;;
    --dataset) [[ ! $dataset ]] || die "--dataset: one data set, not two"; dataset=$2 ;;
    --workdir) workdir=$2 ;;
    --kv-offload-gib) preflight+=(--kv-offload-gib "$2") ;;
  esac
  shift 2
done
dataset=${dataset:-${LLM_BENCH_DATASET_SRC:-}}

# The gate: before anything is written.
[[ $mount && $dataset ]] || usage
[[ -d $mount ]] || die "$mount: no folder"
[[ $dataset == /* ]] || die "$dataset: not an absolute path"
mount=$(realpath -e -- "$mount" && echo x) || exit 3
mount=${mount%$'\nx'}
source=$(realpath -e -- "$dataset" 2>/dev/null && echo x) || die "$dataset: not there"
source=${source%$'\nx'}
[[ $source == "${mount%/}"/* ]] || die "$dataset: not under $mount"
[[ -f $source ]] || die "$dataset: not a file"
[[ -s $source ]] || die "$dataset: empty"
[[ -r $source ]] || die "$dataset: cannot be read"

mkdir -p -- "$workdir/datasets" "$workdir/bench-runs" || exit 3
workdir=$(realpath -e -- "$workdir" && echo x) || exit 3
workdir=${workdir%$'\nx'}
# By the name it was asked for, which a symbolic link may give.
target=$workdir/datasets/${dataset##*/}

is_route() {
  [[ ! $raw ]] || return 0
  route-verify --rule schema "$1" >/dev/null
  case $? in
    0) ;;
    1) die "$dataset: not a route (--raw takes it nevertheless)" ;;
    *) die "$dataset: could not be checked" ;;
  esac
}

partial=
trap '[[ ! $partial ]] || rm -f -- "$partial"' EXIT
trap 'exit 3' INT TERM
if [[ -L $target ]]; then
  die "$target: a symbolic link, not a copy"
elif [[ -e $target ]]; then
  [[ -f $target && -s $target ]] || die "$target: in the way"
  is_route "$target"
  cmp -s -- "$source" "$target" || die "$target: is there, and not what $source holds; remove it, or take another --workdir"
else
  # Whole or not at all, and never over what somebody else put there in the meantime.
  partial=$(mktemp -- "$workdir/datasets/.partial.XXXXXX") || exit 3
  if ! cp -- "$source" "$partial" || ! sync -- "$partial"; then die "$dataset: could not be copied"; fi
  is_route "$partial"
  chmod 444 -- "$partial" || exit 3
  if ! ln -T -- "$partial" "$target" 2>/dev/null; then
    # A file system without hard links.
    mv -n -T -- "$partial" "$target"
    [[ ! -e $partial ]] || die "$target: appeared in the meantime"
  fi
  rm -f -- "$partial"
  partial=
fi

# A later check that dies must not leave the findings of an earlier one.
rm -f -- "$workdir/.health_check.json"
# shellcheck disable=SC2086  # words
gpu-preflight --workdir "$workdir" --json-out "$workdir/.health_check.json" "${preflight[@]}" ${PREFLIGHT_OPTIONS:-} >/dev/null
health=$?
case $health in
  0) ;;
  1) echo "bootstrap.sh: gpu-preflight has warnings: see $workdir/.health_check.json" >&2 ;;
  2) echo "bootstrap.sh: gpu-preflight found a blocker: no run with offload on this machine: see $workdir/.health_check.json" >&2 ;;
  *) echo "bootstrap.sh: gpu-preflight gave no finding (status $health): the machine is unchecked" >&2 ;;
esac

printf 'WORKDIR=%s\nDATASET=%s\n' "$(quoted "$workdir")" "$(quoted "$target")"
