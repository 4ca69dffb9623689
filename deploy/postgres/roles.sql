-- Roles of the cluster besides the superuser: each connects only to its own databases and the empty `postgres`.
-- Run by create-roles.sh, which sets the passwords, when the cluster is new.

-- Only migrations run as the owner of the service's database.
create role context_workspace_owner login password :'owner_password' nosuperuser nocreatedb nocreaterole noreplication;
alter database context_workspace owner to context_workspace_owner;
revoke all on database context_workspace from public;

-- The service reads and writes rows; it cannot create, alter or drop tables.
create role context_workspace login password :'service_password' nosuperuser nocreatedb nocreaterole noreplication;
grant connect on database context_workspace to context_workspace;

-- Temporal's schema tool connects to the empty `postgres` to create its databases, and accepts that they exist.
create role temporal login password :'temporal_password' nosuperuser createdb nocreaterole noreplication;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke all on database temporal from public;
revoke all on database temporal_visibility from public;

-- Tables and sequences of the migrations belong to their role; these defaults grant the service its privileges.
\connect context_workspace
alter default privileges for role context_workspace_owner grant select, insert, update, delete on tables
  to context_workspace;
alter default privileges for role context_workspace_owner grant usage, select on sequences to context_workspace;
