#!/bin/sh
# Makes the namespace and its search attributes where they are missing; repeating it changes nothing.
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
  # A namespace that was made just now is unknown to some parts of the server for some seconds.
  attempt=0
  until temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" 2>/dev/null | grep -q "^ *$name  *$type *$" ||
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type "$type" 2>/dev/null; do
    attempt=$((attempt + 1))
    if [ "$attempt" -ge 30 ]; then
      echo "The search attribute $attribute could not be made." >&2
      exit 1
    fi
    sleep 1
  done
done

# Done means that a run with these attributes is taken, which lags behind as well. A query asks for them all.
query=$(printf ' AND %s IS NULL' $(echo " $SEARCH_ATTRIBUTES" | sed 's/=[A-Za-z]*//g'))
attempt=0
until temporal workflow count --namespace "$TEMPORAL_NAMESPACE" --query "${query# AND }" >/dev/null 2>&1; do
  attempt=$((attempt + 1))
  if [ "$attempt" -ge 120 ]; then
    echo "Temporal does not take the search attributes $SEARCH_ATTRIBUTES." >&2
    exit 1
  fi
  sleep 1
done
