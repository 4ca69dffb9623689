import { z } from 'zod';
import { SourceError } from '../contract/errors.ts';
import type { GenerationInput } from '../db/transitions/generations/record-progress.ts';
import { ObjectMissingError } from '../platform/storage-errors.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { progressLost } from './runtime/stage.ts';

const textData = z.object({ data: z.string() });

/** The bytes that a generation works on, with their content type, file name and address. */
export async function readContent({ storage }: Dependencies, input: GenerationInput, signal: AbortSignal) {
  if (input.type === 'CONTENT') {
    const { data } = textData.parse(input.initialData);
    return { bytes: new TextEncoder().encode(data), contentType: null, filename: null, url: null, pasted: true };
  }
  // A generation without stored content fetches first.
  if (input.contentKey === null) throw progressLost();
  const bytes = await readObject(storage, input.contentKey, signal);
  return { bytes, contentType: input.contentType, filename: input.filename, url: input.contentUrl };
}

/** Reads an object that a row references. @throws SourceError `content_lost` when it does not exist */
export async function readObject(
  storage: Dependencies['storage'],
  key: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    return (await storage.get(key, { signal })).body;
  } catch (error) {
    if (error instanceof ObjectMissingError) {
      throw new SourceError('content_lost', 'The stored content is gone.', { cause: error });
    }
    throw error;
  }
}
