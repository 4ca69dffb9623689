import { defineEntity, p } from '@mikro-orm/postgresql';
import { plans } from '../../contract/statuses.ts';

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    email: p.text().unique().check("email = lower(email) and position('@' in email) > 1"),
    name: p.text(),
    plan: p.enum(plans).default('free'),
    disabledAt: p.datetime(3).nullable(),
    /** When the deletion began: everything of the user is removed, this row last. */
    deletingAt: p.datetime(3).nullable(),
    /** Signs postbacks. Encrypted (platform/secrets.ts); null until it is first needed. */
    postbackSecret: p.text().nullable().hidden().check("postback_secret like 'v1.%'"),
    previousPostbackSecret: p.text().nullable().hidden().check("previous_postback_secret like 'v1.%'"),
    previousPostbackSecretExpiresAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'users_deleting_index',
      properties: ['deletingAt'],
      expression: 'create index "users_deleting_index" on "users" ("deleting_at") where "deleting_at" is not null',
    },
  ],
  checks: [
    { name: 'users_deleting_check', expression: 'deleting_at is null or disabled_at is not null' },
    {
      name: 'users_previous_secret_check',
      expression: '(previous_postback_secret is null) = (previous_postback_secret_expires_at is null)',
    },
  ],
});
