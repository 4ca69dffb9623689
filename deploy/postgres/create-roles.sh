#!/bin/sh
# Creates the roles of roles.sql. The image runs it once, after creating the cluster. For an older cluster run:
#   docker compose exec postgres /docker-entrypoint-initdb.d/create-roles.sh
# Reads POSTGRES_USER (postgres by default), DATABASE_OWNER_PASSWORD, DATABASE_PASSWORD and TEMPORAL_DATABASE_PASSWORD.
set -eu
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
  --set owner_password="$DATABASE_OWNER_PASSWORD" --set service_password="$DATABASE_PASSWORD" \
  --set temporal_password="$TEMPORAL_DATABASE_PASSWORD" \
  --file /roles.sql
