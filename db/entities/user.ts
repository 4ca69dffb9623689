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
    /** Signs postbacks: `whsec_` and base64, as Standard Webhooks says. */
    postbackSecret: p.text().hidden().check("postback_secret like 'whsec_%'"),
    previousPostbackSecret: p.text().nullable().hidden(),
    previousPostbackSecretExpiresAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  checks: [
    {
      name: 'users_previous_secret_check',
      expression: '(previous_postback_secret is null) = (previous_postback_secret_expires_at is null)',
    },
  ],
});
