-- The roles of the cluster besides its superuser: each opens its own databases and the empty `postgres`.
-- Run by create-roles.sh, which gives the passwords, when the cluster is new.

-- Only the migrations run as the owner of the service's database.
create role context_workspace_owner login password :'owner_password' nosuperuser nocreatedb nocreaterole noreplication;
alter database context_workspace owner to context_workspace_owner;
revoke all on database context_workspace from public;

-- The service reads and writes rows; it can make, change and drop no table.
create role context_workspace login password :'service_password' nosuperuser nocreatedb nocreaterole noreplication;
grant connect on database context_workspace to context_workspace;

-- Temporal. Its schema tool connects to `postgres`, which is empty, asks to create the databases, and is content that they
-- are there.
create role temporal login password :'temporal_password' nosuperuser createdb nocreaterole noreplication;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke all on database temporal from public;
revoke all on database temporal_visibility from public;

-- What the migrations will make belongs to their role; the service gets its rights on it from here.
\connect context_workspace
alter default privileges for role context_workspace_owner grant select, insert, update, delete on tables
  to context_workspace;
alter default privileges for role context_workspace_owner grant usage, select on sequences to context_workspace;
