/** The mutants: each takes one safeguard of the service away, and names the invariant that has to catch it. */
import type { InvariantName } from './invariants/index.ts';

export interface Replacement {
  file: string;
  /** Stands there exactly once. */
  find: string;
  replace: string;
}

export interface Mutant {
  /** Others may be broken, too; one of these must be. `floors`: the storm has to find that it proved nothing. */
  caughtBy: readonly (InvariantName | 'floors')[];
  /** Of the storm over it: only the clients, faults and minutes that it needs. */
  options: readonly string[];
  replacements: readonly Replacement[];
}

/** A storm of clients that do only this, with these faults. */
function storm(clients: string, faults: string, minutes = 0.3): readonly string[] {
  return ['--clients', clients, '--faults', faults, '--minutes', String(minutes)];
}

/** The postback's row as a statement of its own, after the one that ends the generation. */
const insertPostbackAfterwards = `const owe = statement(
  'owe-postback',
  \`insert into postbacks (id, source_id, generation_id, url, state, next_attempt_at, body)
   select gen_random_uuid(), s.id, g.id, s.instructions ->> 'postback_url', 'pending', now(), json_build_object(
     'type', 'source.' || lower(s.status), 'timestamp', now(),
     'data', json_build_object('id', s.id, 'generation', s.generation, 'status', s.status, 'name', s.name))::text
   from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = $1 and s.instructions ->> 'postback_url' is not null\`,
);

/**
 * Ends a generation.`;

const oweAfterAPause = `    publicUrl,
  ]);
  if ((await owing) !== null) {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await queryOne(session, owe, [sourceId]);
  }
  return owing;
`;

export const mutants: Readonly<Record<string, Mutant>> = {
  'an API that refuses every create': {
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
  'no fence': {
    // Two generations end as one, or one ends twice: by the moment the database's own constraints refuse that, and the API
    // answers 500.
    caughtBy: ['no internal error', 'what was canceled stays canceled'],
    // Most cancels meet a run under way, and some of them its end.
    options: storm('create,cancel', 'resets', 0.5),
    replacements: [
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: "where id = $1 and generation = $2 and status in ('CREATED', 'PENDING', 'PROCESSING')",
        replace: 'where id = $1',
      },
    ],
  },
  'no lease: a claimed command is never free again': {
    caughtBy: ['no outbox row'],
    options: storm('create,reprocess,refresh', 'kills,resets'),
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
    options: storm('create,reprocess,refresh', 'terminations'),
    replacements: [
      { file: 'apps/api/main.ts', find: ' startReconciler(dispatching),', replace: '' },
      { file: 'apps/dispatcher/main.ts', find: 'startReconciler(deps)', replace: '{ stop: async () => undefined }' },
    ],
  },
  'a reconciler that replaces runs that are well': {
    caughtBy: ['every recovery has a cause'],
    options: storm('create,reprocess,refresh', ''),
    replacements: [
      {
        file: 'apps/dispatcher/reconciler/classify-run.ts',
        find: "if (run.activities > 0) return behind ? { action: 'remind' } : none;",
        replace: "if (run.activities > 0) return replace('idle');",
      },
    ],
  },
  'the postback row outside the transaction': {
    // Two seconds between the two statements: a kill would rarely meet the millisecond that there is otherwise.
    caughtBy: ['one webhook-id for each generation that ended, none for superseded ones'],
    options: storm('create,cancel,reprocess', 'kills,resets,silence', 0.8),
    replacements: [
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: "where source.instructions ->> 'postback_url' is not null\n",
        replace: 'where false\n',
      },
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: '/**\n * Ends a generation.',
        replace: insertPostbackAfterwards,
      },
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: '  return queryOne(session, end, [',
        replace: '  const owing = queryOne(session, end, [',
      },
      {
        file: 'db/transitions/generations/end-generation.ts',
        find: '    publicUrl,\n  ]);\n',
        replace: oweAfterAPause,
      },
    ],
  },
  'object keys without the attempt': {
    caughtBy: ['stored content is what its row says'],
    options: storm('create,refresh', 'partitions', 1.2),
    replacements: [
      {
        file: 'activities/fetch-content.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
        find: '/${randomUUID()}/',
        replace: '/00000000-0000-0000-0000-000000000000/',
      },
    ],
  },
  'a cancel that only signals': {
    caughtBy: ['what was canceled stays canceled'],
    options: storm('create,cancel,reprocess', ''),
    replacements: [
      {
        file: 'db/transitions/sources/cancel-source.ts',
        find: "if (await endGeneration(session, publicUrl, { sourceId, generation: present.generation }, { status: 'CANCELED' })) {",
        replace: "if (['CREATED', 'PENDING', 'PROCESSING'].includes(present.status)) {",
      },
    ],
  },
  'a refresh that is accepted and forgotten': {
    caughtBy: ['one generation for each refresh, reprocess and update'],
    options: storm('create,refresh', ''),
    replacements: [
      {
        file: 'apps/api/routers/sources/refresh-source.ts',
        find: '        await actOnSource(ctx, session, input.sourceId, refresh(toRunOptions(input)));',
        replace:
          '        await actOnSource(ctx, session, input.sourceId, { run: async () => void refresh(toRunOptions(input)) });',
      },
    ],
  },
  'a refresh that does not fetch': {
    caughtBy: ['a refresh fetches again'],
    options: storm('create,refresh', ''),
    replacements: [
      {
        file: 'db/transitions/generations/start-generation.ts',
        find: "trigger === 'refresh' || trigger === 'update') return true;",
        replace: "trigger === 'update') return true;",
      },
    ],
  },
  'compositions that lose their last member': {
    caughtBy: ['results are of the right content, members complete and in order'],
    options: storm('create,reprocess', ''),
    replacements: [
      {
        file: 'activities/join-members.ts',
        find: "await extraction.run('join', parts, { owner, signal })",
        replace: "await extraction.run('join', parts.slice(0, -1), { owner, signal })",
      },
    ],
  },
  'a PATCH that drops the new data': {
    caughtBy: ['the row holds the data of the last update'],
    options: storm('create,update', ''),
    replacements: [
      {
        file: 'apps/api/routers/sources/update-source.ts',
        find: 'await writeChange(session, id, { ...change, ...rest, data: { initialData, derivedName, uploadId } });',
        replace:
          'void [initialData, derivedName, uploadId];\n    await writeChange(session, id, { ...change, ...rest });',
      },
    ],
  },
  'Idempotency-Keys whose answers are not kept': {
    caughtBy: ['no create was done twice'],
    options: storm('create', 'kills,resets', 0.8),
    replacements: [
      {
        file: 'db/idempotency.ts',
        find: "key = $3 and created_at > now() - interval '24 hours' and answer <> ''",
        replace: "key = $3 and created_at > now() and answer <> ''",
      },
    ],
  },
  'a postback with a body for each attempt': {
    caughtBy: ['one body for each webhook-id'],
    options: storm('create,reprocess', ''),
    replacements: [
      {
        file: 'activities/deliver-postback.ts',
        find: 'const postback = { ...delivery, ...signedBy, id: owed.postbackId };',
        replace:
          // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
          'const body = delivery.body.replace(/}$/, `,"attempt":${delivery.attempts}}`);\n' +
          '    const postback = { ...delivery, ...signedBy, id: owed.postbackId, body };',
      },
    ],
  },
  'a collector that goes by age alone': {
    caughtBy: ['no needed object is missing'],
    options: storm('create,reprocess,refresh', ''),
    replacements: [
      {
        file: 'db/queries/retention/find-unreferenced-objects.ts',
        find: 'else not named.needed and released.at <= now()',
        replace: 'else l.modified_at <= now()',
      },
    ],
  },
  'a purge that leaves the objects': {
    caughtBy: ['no orphan object'],
    options: storm('create,delete', '', 0.7),
    replacements: [
      {
        file: 'activities/purge.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
        find: 'objects += await storage.deletePrefix(`sources/${id}/`, { signal });',
        replace: 'void [storage, signal, id];',
      },
    ],
  },
  'a restore that loses the results': {
    caughtBy: ['results are of the newest completed generation'],
    options: storm('create,delete,restore', '', 0.7),
    replacements: [
      {
        file: 'db/transitions/sources/delete-source.ts',
        find: 'update sources set deleted_at = null, revision',
        replace: 'update sources set deleted_at = null, result_generation_id = null, revision',
      },
    ],
  },
  'promotions that are not marked': {
    caughtBy: ['one source for each promotion'],
    options: storm('create,promote', '', 0.7),
    replacements: [
      {
        file: 'db/transitions/artifacts/promote-artifact.ts',
        find: 'set promoted_source_id = $2, updated_at = now() where id = $1',
        replace: 'set promoted_source_id = $2, updated_at = now() where id = $1 and false',
      },
    ],
  },
  'storage that is away ends sources': {
    caughtBy: ['no source fails by trouble of the service'],
    options: storm('create,reprocess,refresh', 'kills,silence', 0.8),
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
  'a wait that ends at once': {
    caughtBy: ['waits end with a change or their time'],
    options: storm('create,reprocess,wait', '', 0.7),
    replacements: [
      {
        file: 'apps/api/live/long-poll.ts',
        find: 'const deadline = Date.now() + waitSeconds * 1_000;',
        replace: 'const deadline = Date.now() + waitSeconds;',
      },
    ],
  },
};
