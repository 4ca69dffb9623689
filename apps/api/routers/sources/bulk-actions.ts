import { z } from 'zod';
import { sourceActionResultSchema } from '../../../../contract/resources.ts';
import { sourceActions } from '../../../../contract/statuses.ts';
import { spaceOfCollection } from '../../../../db/queries/spaces/space-of-collection.ts';
import { QuotaCheck } from '../../admission/quota.ts';
import { AppError, badRequest, type ErrorDetail, invalid, toErrorResponse } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { idField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { findSpace } from '../spaces/space-resource.ts';
import {
  actOnSource,
  cancel,
  move,
  pin,
  refresh,
  remove,
  reprocess,
  restore,
  type SourceAction,
  toRunOptions,
} from './act-on-source.ts';

const idsCount = { error: 'Must list 1 to 100 sources.' };

const inputSchema = z.strictObject({
  spaceId: z.string(),
  action: z.enum(sourceActions),
  ids: z.array(idField).min(1, idsCount).max(100, idsCount),
  collectionId: idField.nullable().optional().describe('Target of `move`; null is the top level of the space.'),
  run_context_extraction: z.boolean().optional().describe('For `reprocess` and `refresh`; default true.'),
  run_artifact_extraction: z.boolean().optional().describe('For `reprocess` and `refresh`; default true.'),
});
type Input = z.output<typeof inputSchema>;

function actionOf(input: Input): SourceAction {
  const { run_context_extraction = true, run_artifact_extraction = true } = input;
  const options = toRunOptions({ run_context_extraction, run_artifact_extraction });
  const actions: Record<Input['action'], SourceAction> = {
    cancel,
    reprocess: reprocess(options),
    refresh: refresh(options),
    delete: remove,
    restore,
    pin: pin(true),
    unpin: pin(false),
    move: move(input.collectionId ?? null),
  };
  return actions[input.action];
}

/** Accepts malformed fields, so that the others can still be checked against each other. */
const looseSchema = z.object({
  action: z.enum(sourceActions).optional().catch(undefined),
  ids: z.array(z.string().catch('')).max(100).catch([]),
  collectionId: z.unknown().optional(),
  run_context_extraction: z.unknown().optional(),
  run_artifact_extraction: z.unknown().optional(),
});

/** Fields of an input that contradict each other. */
function contradictions({ action, ids, collectionId, ...options }: z.output<typeof looseSchema>): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const report = (field: string, message: string) => details.push({ field, message });
  const seen = new Set<string>();
  for (const [index, id] of ids.map((id) => id.toLowerCase()).entries()) {
    if (id !== '' && seen.has(id)) report(`ids.${index}`, 'This id is listed twice.');
    seen.add(id);
  }
  if (action === undefined) return details;
  if (action === 'move' && collectionId === undefined) report('collectionId', 'Required.');
  if (action !== 'move' && collectionId !== undefined) report('collectionId', 'Only for move.');
  if (action === 'reprocess' || action === 'refresh') return details;
  for (const name of ['run_context_extraction', 'run_artifact_extraction'] as const) {
    if (options[name] !== undefined) report(name, 'Only for reprocess and refresh.');
  }
  return details;
}

type Result = z.infer<typeof sourceActionResultSchema>;

export const actOnSources = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/sources/actions' },
    summary: 'Run an action on many sources',
    description:
      'Each source succeeds or fails on its own, as in the single call; the results are in the order of the ids.',
    alsoWrong: (input) => {
      const { data } = looseSchema.safeParse(input);
      return data ? contradictions(data) : [];
    },
    example: { action: 'reprocess', ids: ['019a5f40-1d7e-7b1c-9a53-2f8e4d6c0b73'], run_artifact_extraction: false },
  })
  .input(inputSchema)
  .output(z.array(sourceActionResultSchema))
  .mutation(
    idempotent(async ({ ctx, input, write }) => {
      const details = contradictions(input);
      if (details.length > 0) throw badRequest(details);
      const { id: spaceId } = await findSpace(ctx, input.spaceId);
      if (input.collectionId != null) {
        const targetSpaceId = await spaceOfCollection(ctx.database.pool, ctx.caller.userId, input.collectionId);
        if (targetSpaceId !== spaceId) throw invalid('collectionId', 'There is no such collection in this space.');
      }
      const action = actionOf(input);
      return write(async (session) => {
        const results = new Map<string, Result>();
        const quota = new QuotaCheck(ctx, session);
        // Locked in a fixed order, so that two bulk actions do not deadlock.
        for (const id of input.ids.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))) {
          try {
            const source = await actOnSource(ctx, session, id, action, { spaceId, quota });
            results.set(id, { id, ok: true, source });
          } catch (error) {
            // Nothing was written for this source, or it was rolled back: go on with the others.
            if (!(error instanceof AppError)) throw error;
            results.set(id, { id, ok: false, error: toErrorResponse(error, ctx.requestId).body });
          }
        }
        return input.ids.flatMap((id) => results.get(id) ?? []);
      });
    }),
  );
