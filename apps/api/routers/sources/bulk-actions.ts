import { z } from 'zod';
import { sourceActionResultSchema } from '../../../../contract/resources.ts';
import { sourceActions } from '../../../../contract/statuses.ts';
import { spaceOfCollection } from '../../../../db/queries/spaces/space-of-collection.ts';
import { QuotaJudge } from '../../admission/quota.ts';
import { AppError, badRequest, type ErrorDetail, invalid, toRefusal } from '../../errors.ts';
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

const many = { error: 'Must name 1 to 100 sources.' };

const inputSchema = z.strictObject({
  spaceId: z.string(),
  action: z.enum(sourceActions),
  ids: z.array(idField).min(1, many).max(100, many),
  collectionId: idField.nullable().optional().describe('Where `move` puts them; null is the top of the space.'),
  run_context_extraction: z.boolean().optional().describe('For `reprocess` and `refresh`; true where it is left out.'),
  run_artifact_extraction: z.boolean().optional().describe('For `reprocess` and `refresh`; true where it is left out.'),
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

/** An input whose fields are judged together, though some may be malformed. */
const looseSchema = z.object({
  action: z.enum(sourceActions).optional().catch(undefined),
  ids: z.array(z.string().catch('')).max(100).catch([]),
  collectionId: z.unknown().optional(),
  run_context_extraction: z.unknown().optional(),
  run_artifact_extraction: z.unknown().optional(),
});

/** What of an input does not go together. */
function contradictions({ action, ids, collectionId, ...options }: z.output<typeof looseSchema>): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const refuse = (field: string, message: string) => details.push({ field, message });
  const seen = new Set<string>();
  for (const [index, id] of ids.map((id) => id.toLowerCase()).entries()) {
    if (id !== '' && seen.has(id)) refuse(`ids.${index}`, 'This id is named twice.');
    seen.add(id);
  }
  if (action === undefined) return details;
  if (action === 'move' && collectionId === undefined) refuse('collectionId', 'Required.');
  if (action !== 'move' && collectionId !== undefined) refuse('collectionId', 'Only for move.');
  if (action === 'reprocess' || action === 'refresh') return details;
  for (const name of ['run_context_extraction', 'run_artifact_extraction'] as const) {
    if (options[name] !== undefined) refuse(name, 'Only for reprocess and refresh.');
  }
  return details;
}

type Result = z.infer<typeof sourceActionResultSchema>;

export const actOnSources = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces/{spaceId}/sources/actions' },
    summary: 'Do something to many sources',
    description:
      'Each source is dealt with on its own, as the single call would; the results come in the order of the ids.',
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
        const place = await spaceOfCollection(ctx.database.pool, ctx.caller.userId, input.collectionId);
        if (place !== spaceId) throw invalid('collectionId', 'There is no such collection in this space.');
      }
      const action = actionOf(input);
      return write(async (session) => {
        const results = new Map<string, Result>();
        const quota = new QuotaJudge(ctx, session);
        // In one order, so that two of these never wait for each other.
        for (const id of input.ids.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))) {
          try {
            const source = await actOnSource(ctx, session, id, action, { spaceId, quota });
            results.set(id, { id, ok: true, source });
          } catch (error) {
            // Thrown before anything of this source was written, or rolled back: the others go on.
            if (!(error instanceof AppError)) throw error;
            results.set(id, { id, ok: false, error: toRefusal(error, ctx.requestId).body });
          }
        }
        return input.ids.flatMap((id) => results.get(id) ?? []);
      });
    }),
  );
