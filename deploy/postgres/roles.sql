-- The roles of the cluster besides its superuser: each owns its own databases and may open no other.
-- Run by create-roles.sh, which gives the passwords, when the cluster is new.

-- The service, migrations included: no superuser, and nothing outside of its database.
create role context_workspace login password :'service_password' nosuperuser nocreatedb nocreaterole noreplication;
alter database context_workspace owner to context_workspace;
revoke all on database context_workspace from public;

-- Temporal. Its schema tool connects to `postgres`, which is empty, asks to create the databases, and is content that they
-- are there.
create role temporal login password :'temporal_password' nosuperuser createdb nocreaterole noreplication;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke all on database temporal from public;
revoke all on database temporal_visibility from public;
