/** The postback: the signed request that reports the end of a generation to the owner's URL. */
import { z } from 'zod';
import { examples } from './examples.ts';
import { type GenerationError, generationErrorSchema, metadataSchema } from './resources.ts';
import { endStatuses, type SourceType, sourceTypes } from './statuses.ts';

type EndStatus = (typeof endStatuses)[number];

const id = z.string();
const url = z.string();

/** Event types, one for each status in which a generation ends. */
export const postbackTypes = ['source.completed', 'source.failed', 'source.canceled'] as const;

const typeOf: Readonly<Record<EndStatus, (typeof postbackTypes)[number]>> = {
  COMPLETED: 'source.completed',
  FAILED: 'source.failed',
  CANCELED: 'source.canceled',
};

/** The body of every postback, real or sample. */
export const postbackSchema = z
  .strictObject({
    type: z.enum(postbackTypes),
    timestamp: z.iso.datetime().describe('When the generation ended.'),
    data: z.strictObject({
      id: id.describe('The source.'),
      spaceId: id,
      type: z.enum(sourceTypes),
      name: z.string(),
      status: z.enum(endStatuses),
      generation: z.int().describe('The generation that ended.'),
      error: generationErrorSchema.nullable().describe('Null unless the status is FAILED.'),
      metadata: metadataSchema,
      externalId: z.string().nullable(),
      links: z.strictObject({ source: url, content: url, artifacts: url }).describe('Addresses in the REST API.'),
    }),
  })
  .meta({ id: 'Postback', description: 'The end of a generation.', examples: [examples.postback] });
export type Postback = z.infer<typeof postbackSchema>;

/** A source at the end of one of its generations. */
export interface EndedSource {
  id: string;
  spaceId: string;
  type: SourceType;
  name: string;
  status: EndStatus;
  generation: number;
  error: GenerationError | null;
  metadata: z.infer<typeof metadataSchema>;
  externalId: string | null;
  endedAt: Date;
}

/** The body of the postback that reports this end. `publicUrl` is the API's address, without a slash at its end. */
export function buildPostback(publicUrl: string, { endedAt, ...ended }: EndedSource): Postback {
  const source = `${publicUrl}/v1/sources/${ended.id}`;
  return {
    type: typeOf[ended.status],
    timestamp: endedAt.toISOString(),
    data: {
      id: ended.id,
      spaceId: ended.spaceId,
      type: ended.type,
      name: ended.name,
      status: ended.status,
      generation: ended.generation,
      error: ended.error,
      metadata: ended.metadata,
      externalId: ended.externalId,
      links: { source, content: `${source}/content`, artifacts: `${source}/artifacts` },
    },
  };
}
