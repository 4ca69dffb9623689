#!/usr/bin/env bash
# Processes a file with curl: creates a space, an upload and a FILE source, waits by long polls, and prints its context.
#
#   API_KEY=$(cat .data/key) examples/process-file.sh apps/dev/demo/handbook.pdf application/pdf
set -euo pipefail

FILE=$1
TYPE=$2
URL=${API_URL:-http://127.0.0.1:8080}/v1

call() { # PATH [CURL_OPTIONS]
  curl -sS --fail-with-body "$URL$1" -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' "${@:2}"
}
# The value at a dotted path of the JSON on standard input.
value() { node -pe 'process.argv[1].split(".").reduce((at, name) => at[name], JSON.parse(fs.readFileSync(0, "utf8")))' "$1"; }

SPACE=$(call /spaces -d '{"name": "Handbooks"}' | value data.id)

# The upload must have the length and the type of the grant.
GRANT=$(call /upload/s3 -d '{"filename": "'"$(basename "$FILE")"'", "contentType": "'"$TYPE"'", "size": '"$(wc -c < "$FILE")"'}')
curl -sS --fail-with-body -T "$FILE" -H "Content-Type: $TYPE" "$(value uploadUrl <<< "$GRANT")"

# With an Idempotency-Key the request can be repeated and creates one source.
SOURCE=$(call "/spaces/$SPACE/sources" -H "Idempotency-Key: $(value fileKey <<< "$GRANT")" -d '{
  "type": "FILE", "instructions": {}, "initial_data": {"data": "'"$(value fileKey <<< "$GRANT")"'"}
}')
ID=$(value data.id <<< "$SOURCE")

# Each request responds at the next change, or after 30 s.
until [[ $(value data.status <<< "$SOURCE") =~ ^(COMPLETED|FAILED|CANCELED)$ ]]; do
  SOURCE=$(call "/sources/$ID?waitSeconds=30&since=$(value data.revision <<< "$SOURCE")")
done

echo "$(value data.name <<< "$SOURCE"): $(value data.status <<< "$SOURCE")"
call "/sources/$ID/context" | value data.chunks.0.text
