#!/bin/bash
# Sourced by the scripts beside it. in_order COMMAND…: runs COMMAND and returns its status. Who ends the script by SIGINT or
# SIGTERM in the meantime ends COMMAND by SIGTERM, and the script goes on when it has ended: what was measured is reported, what
# was started is stopped. $interrupted then says so.
interrupted='' in_order_running='' in_order_signalled=''
trap 'interrupted=1 in_order_signalled=1; [[ ! $in_order_running ]] || kill -TERM "$in_order_running" 2>/dev/null' INT TERM

in_order() {
  local status
  "$@" &
  in_order_running=$!
  in_order_signalled=$interrupted
  [[ ! $interrupted ]] || kill -TERM "$in_order_running" 2>/dev/null
  wait "$in_order_running"
  status=$?
  # A signal ends the waiting, not COMMAND.
  while [[ $in_order_signalled ]]; do
    in_order_signalled=
    wait "$in_order_running"
    status=$?
  done
  in_order_running=
  return "$status"
}
