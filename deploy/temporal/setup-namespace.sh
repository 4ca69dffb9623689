#!/bin/sh
# Creates the namespace and its search attributes if they are missing. Idempotent.
# Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, RETENTION and SEARCH_ATTRIBUTES ("Name=Type Name=Type").
set -eu

# The server registers its own system namespace shortly after its port opens.
attempt=0
until temporal operator cluster health >/dev/null 2>&1; do
  attempt=$((attempt + 1))
  if [ "$attempt" -ge 60 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS is not healthy after a minute." >&2
    exit 1
  fi
  sleep 1
done

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"

for attribute in $SEARCH_ATTRIBUTES; do
  name=${attribute%%=*}
  type=${attribute#*=}
  # Some parts of the server do not know a new namespace for some seconds.
  attempt=0
  until temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" 2>/dev/null | grep -q "^ *$name  *$type *$" ||
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type "$type" 2>/dev/null; do
    attempt=$((attempt + 1))
    if [ "$attempt" -ge 30 ]; then
      echo "The search attribute $attribute could not be created." >&2
      exit 1
    fi
    sleep 1
  done
done

# Waits until runs with these attributes are accepted, which lags too: a query that names all of them succeeds then.
query=$(printf ' AND %s IS NULL' $(echo " $SEARCH_ATTRIBUTES" | sed 's/=[A-Za-z]*//g'))
attempt=0
until temporal workflow count --namespace "$TEMPORAL_NAMESPACE" --query "${query# AND }" >/dev/null 2>&1; do
  attempt=$((attempt + 1))
  if [ "$attempt" -ge 120 ]; then
    echo "Temporal does not accept the search attributes $SEARCH_ATTRIBUTES." >&2
    exit 1
  fi
  sleep 1
done
