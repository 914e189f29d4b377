#!/bin/bash
# A made-up route on stdout: make-route.sh [ROWS [SEED]] (2000, 1). Each row is a conversation of one turn, 60 to 120 words
# in and 16 to 32 tokens out; the same arguments give the same rows.
set -euo pipefail
for number in "${1:-2000}" "${2:-1}"; do
  [[ $number =~ ^[0-9]{1,9}$ ]] || { echo "usage: make-route.sh [ROWS [SEED]]" >&2; exit 3; }
done
LC_ALL=C awk -v rows="${1:-2000}" -v seed="${2:-1}" '
  # Lehmer generator (Park and Miller), exact in doubles: every awk gives the same numbers.
  function below(n) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * n) }
  BEGIN {
    state = seed % 2147483646 + 1
    below(1)
    words = split("order parcel refund courier depot label invoice agent window claim photo driver return status delay", word, " ")
    for (row = 0; row < rows; row++) {
      text = "ticket " row
      for (left = 60 + below(61); left > 0; left--) text = text " " word[1 + below(words)]
      printf "{\"ts\": %d, \"conv_id\": \"made-up-%06d\", \"body\": {\"prompt\": [{\"role\": \"user\", \"content\": \"%s\"}], \"max_tokens\": %d}}\n",
        1760000000 + row, row, text, 16 + below(17)
    }
  }'
