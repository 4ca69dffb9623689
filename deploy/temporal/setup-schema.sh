#!/bin/sh
# Migrates Temporal's two databases to the schema of this version. Idempotent.
# Reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD (temporal-sql-tool's own variables).
set -eu
SCHEMA=${SCHEMA:-/etc/temporal/schema/postgresql/v12}

for name in temporal visibility; do
  database=temporal
  [ "$name" = visibility ] && database=temporal_visibility
  temporal-sql-tool --db "$database" create
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema -d "$SCHEMA/$name/versioned"
done
