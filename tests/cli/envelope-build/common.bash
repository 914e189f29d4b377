# What the cases of envelope-build share: the records of a real run in the current folder, and a look into an artifact.
# shellcheck disable=SC2034
export SOURCE_DATE_EPOCH=1796082000
cp "$DATA"/envelope/* .
declared=(--sidecar benchmark.yaml --card chat.yaml)
client=(--rounds rounds.jsonl --requests requests.jsonl)
server=(--before before.prom --after after.prom)
# one member a line, without the version and what depends on it
lines() { sed -E 's/("version":")0[0-9.]+"/\1VERSION"/g; s/("artifact_id":")[^"]+/\1ID/; s/([,{])"/\1\n"/g'; }
# the values of members by their names, wherever they stand
members() { local names; names=$(IFS='|'; echo "$*"); grep -oE "\"($names)\":(\"[^\"]*\"|\[[^]]*\]|\{[^{}]*\}|[^,}]*)"; }
