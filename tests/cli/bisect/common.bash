# What the cases of bisect share. Sourced in a fresh folder.
cp "$CASE/../probe" .

# Takes out of records what differs from run to run.
steady() {
  sed -E 's/"time":"[^"]*"/"time":"T"/; s/"version":"[^"]*"/"version":"V"/; s/"(elapsed_s|running_s|eta_s)":[0-9.e-]+/"\1":0/g'
}

# The rates asked for, in one line; and the answer.
asked() { tr '\n' ' ' <asked; echo; }
answer() { tail -n 1 "$1" | grep -oE '"(max_qps|first_fail_qps|converged|reason|probes)":[^,]*' | tr '\n' ' '; echo; }

# Waits, for ten seconds at most, until a command succeeds.
wait_until() {
  local i
  for (( i = 0; i < 500; i++ )); do "$@" && return; sleep 0.02; done
  echo "waited in vain for: $*" >&2
  return 1
}
