/** Mutants: each removes one safeguard of the service and names the invariants that must detect this. */
import type { InvariantName } from './invariants/index.ts';

export interface Replacement {
  file: string;
  /** Must occur in the file exactly once. */
  find: string;
  replace: string;
}

export interface Mutant {
  /** At least one of these must be broken; others may be, too. `floors`: a floor must be missed. */
  caughtBy: readonly (InvariantName | 'floors')[];
  /** Options of `npm run chaos`: only the clients, faults and minutes that the mutant needs. */
  options: readonly string[];
  replacements: readonly Replacement[];
}

/** Options with only these clients and faults. */
function only(clients: string, faults: string, minutes = 0.3): readonly string[] {
  return ['--clients', clients, '--faults', faults, '--minutes', String(minutes)];
}

export const mutants: Readonly<Record<string, Mutant>> = {
  'the API rejects every create': {
    caughtBy: ['floors'],
    options: ['--faults', 'kills', '--minutes', '0.3', '--floors', 'short'],
    replacements: [
      {
        file: 'apps/api/routers/sources/create-source.ts',
        find: 'if (data === null || details.length > 0) throw badRequest(details);',
        replace: 'throw badRequest(details);',
      },
    ],
  },
  'end of a generation without the fence': {
    // A generation ends twice, or two end together. Depending on timing, a constraint of the database rejects that and
    // the API returns 500.
    caughtBy: ['no internal error', 'a canceled generation stays canceled'],
    // Most cancels hit an open run, and some of them its end.
    options: only('create,cancel', 'resets', 0.5),
    replacements: [
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: "where s.id = $1 and s.generation = $2 and s.status in ('CREATED', 'PENDING', 'PROCESSING')",
        replace: 'where s.id = $1',
      },
    ],
  },
  'a lease that never expires': {
    caughtBy: ['the outbox is empty'],
    options: only('create,reprocess,refresh', 'kills,resets'),
    replacements: [
      {
        file: 'apps/dispatcher/outbox/dispatcher.ts',
        find: 'const LEASE_SECONDS = 30;',
        replace: 'const LEASE_SECONDS = 1_000_000;',
      },
    ],
  },
  'no reconciler': {
    caughtBy: ['every source has ended'],
    options: only('create,reprocess,refresh', 'terminations'),
    replacements: [
      { file: 'apps/api/main.ts', find: ' startReconciler(backgroundDeps),', replace: '' },
      { file: 'apps/dispatcher/main.ts', find: 'startReconciler(deps)', replace: '{ stop: async () => undefined }' },
    ],
  },
  'the reconciler replaces healthy runs': {
    caughtBy: ['every recovery has a cause that a fault explains'],
    options: only('create,reprocess,refresh', ''),
    replacements: [
      {
        file: 'apps/dispatcher/reconciler/classify-run.ts',
        find: "return run.activities > 0 ? none : replace('idle');",
        replace: "return replace('idle');",
      },
    ],
  },
  'postback row outside the transaction': {
    // Two seconds between the two transactions, since a kill rarely falls into the single millisecond otherwise.
    caughtBy: ['each ended generation has one webhook-id, superseded ones have none'],
    options: only('create,cancel,reprocess', 'kills,resets,silence', 0.8),
    replacements: [
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: '    await insertPostback(',
        replace: `    await session.query('commit');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await session.query('begin');
    await insertPostback(`,
      },
    ],
  },
  'object keys shared between attempts': {
    caughtBy: ['stored content has the size in its row'],
    options: only('create,refresh', 'partitions', 1.2),
    replacements: [
      {
        file: 'activities/fetch-content.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
        find: '/${randomUUID()}/',
        replace: '/00000000-0000-0000-0000-000000000000/',
      },
    ],
  },
  'a cancel only signals the run': {
    caughtBy: ['a canceled generation stays canceled'],
    options: only('create,cancel,reprocess', ''),
    replacements: [
      {
        file: 'db/transitions/sources/cancel-source.ts',
        find: "if (await endGeneration(session, publicUrl, { sourceId, generation: present.generation }, { status: 'CANCELED' })) {",
        replace: "if (['CREATED', 'PENDING', 'PROCESSING'].includes(present.status)) {",
      },
    ],
  },
  'an accepted refresh starts nothing': {
    caughtBy: ['each refresh, reprocess and update makes one generation'],
    options: only('create,refresh', ''),
    replacements: [
      {
        file: 'apps/api/routers/sources/refresh-source.ts',
        find: '        await actOnSource(ctx, session, input.sourceId, refresh(toRunOptions(input)));',
        replace:
          '        await actOnSource(ctx, session, input.sourceId, { run: async () => void refresh(toRunOptions(input)) });',
      },
    ],
  },
  'a refresh does not fetch': {
    caughtBy: ['a refresh fetches again'],
    options: only('create,refresh', ''),
    replacements: [
      {
        file: 'db/transitions/generations/start-generation.ts',
        find: "trigger === 'refresh' || trigger === 'update') return true;",
        replace: "trigger === 'update') return true;",
      },
    ],
  },
  'a composition loses its last member': {
    caughtBy: ['results match the data that was sent, with all members in order'],
    options: only('create,reprocess', ''),
    replacements: [
      {
        file: 'activities/join-members.ts',
        find: "await extraction.run('join', parts, { owner, signal })",
        replace: "await extraction.run('join', parts.slice(0, -1), { owner, signal })",
      },
    ],
  },
  'a PATCH drops the new data': {
    caughtBy: ['a row has the data of the last accepted update'],
    options: only('create,update', ''),
    replacements: [
      {
        file: 'apps/api/routers/sources/update-source.ts',
        find: 'await writeChange(session, id, { ...change, ...rest, data: { initialData, derivedName, uploadId } });',
        replace:
          'void [initialData, derivedName, uploadId];\n    await writeChange(session, id, { ...change, ...rest });',
      },
    ],
  },
  'responses to Idempotency-Keys are not stored': {
    caughtBy: ['no create is executed twice'],
    options: only('create', 'kills,resets', 0.8),
    replacements: [
      {
        file: 'db/idempotency.ts',
        find: "key = $3 and created_at > now() - interval '24 hours' and answer <> ''",
        replace: "key = $3 and created_at > now() and answer <> ''",
      },
    ],
  },
  'each delivery attempt has its own body': {
    caughtBy: ['each webhook-id has one body'],
    options: only('create,reprocess', ''),
    replacements: [
      {
        file: 'activities/deliver-postback.ts',
        find: 'const postback = { ...delivery, ...signedBy, id: pending.postbackId };',
        replace:
          // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
          'const body = delivery.body.replace(/}$/, `,"attempt":${delivery.attempts}}`);\n' +
          '    const postback = { ...delivery, ...signedBy, id: pending.postbackId, body };',
      },
    ],
  },
  'the collector removes objects by age only': {
    caughtBy: ['no referenced object is missing'],
    options: only('create,reprocess,refresh', ''),
    replacements: [
      {
        file: 'db/queries/retention/find-unreferenced-objects.ts',
        find: 'else not named.needed and released.at <= now()',
        replace: 'else l.modified_at <= now()',
      },
    ],
  },
  'a purge leaves the objects': {
    caughtBy: ['no unreferenced object remains'],
    options: only('create,delete', '', 0.7),
    replacements: [
      {
        file: 'activities/purge.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
        find: 'objects += await storage.deletePrefix(`sources/${id}/`, { signal });',
        replace: 'void [storage, signal, id];',
      },
    ],
  },
  'a restore loses the results': {
    caughtBy: ['results belong to the newest completed generation'],
    options: only('create,delete,restore', '', 0.7),
    replacements: [
      {
        file: 'db/transitions/sources/delete-source.ts',
        find: 'update sources set deleted_at = null, revision',
        replace: 'update sources set deleted_at = null, result_generation_id = null, revision',
      },
    ],
  },
  'promotions are not recorded': {
    caughtBy: ['each promoted artifact has one source'],
    options: only('create,promote', '', 0.7),
    replacements: [
      {
        file: 'db/transitions/artifacts/promote-artifact.ts',
        find: 'set promoted_source_id = $2, updated_at = now() where id = $1',
        replace: 'set promoted_source_id = $2, updated_at = now() where id = $1 and false',
      },
    ],
  },
  'dependency trouble fails sources': {
    caughtBy: ['no source fails because of injected faults'],
    options: only('create,reprocess,refresh', 'kills,silence', 0.8),
    replacements: [
      {
        file: 'activities/runtime/stage.ts',
        find: '    const isExpected = error instanceof ApplicationFailure ||',
        replace:
          '    if (dependencyTrouble(error) !== null && !signal.aborted)\n' +
          "      throw ApplicationFailure.nonRetryable('Something is away.', 'internal');\n" +
          '    const isExpected = error instanceof ApplicationFailure ||',
      },
    ],
  },
  'a wait ends immediately': {
    caughtBy: ['a wait ends with a change or at its timeout'],
    options: only('create,reprocess,wait', '', 0.7),
    replacements: [
      {
        file: 'apps/api/live/long-poll.ts',
        find: 'const deadline = Date.now() + waitSeconds * 1_000;',
        replace: 'const deadline = Date.now() + waitSeconds;',
      },
    ],
  },
};
