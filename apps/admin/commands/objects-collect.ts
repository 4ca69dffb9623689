import { z } from 'zod';
import { GarbageCollectionPausedError } from '../../../db/bucket-ownership.ts';
import { collectObjects, UNNAMED_SECONDS } from '../../dispatcher/sweeper/collect-objects.ts';
import { CommandError, defineCommand } from '../command.ts';
import { withStorage } from '../storage.ts';

export const objectsCollect = defineCommand({
  name: 'objects collect',
  summary: 'Remove unreferenced objects from the bucket now. Needs the service’s settings (S3_*).',
  options: z.object({
    grace: z.coerce
      .number({ error: 'must be a number of seconds.' })
      .min(0, { error: 'must be a number of seconds.' })
      .optional()
      .meta({
        value: 'SECONDS',
        description: 'minimum time unreferenced; default: OBJECT_GRACE_SECONDS (24 h if no row names the object)',
      }),
    force: z
      .boolean()
      .default(false)
      .meta({ description: 'remove them even if they are more than 100 and more than a tenth of all objects' }),
  }),
  async run(database, { grace, force }) {
    const collected = await withStorage((storage, config) =>
      collectObjects(
        { database, storage },
        {
          graceSeconds: grace ?? config.OBJECT_GRACE_SECONDS,
          unnamedSeconds: grace ?? UNNAMED_SECONDS,
          force,
          signal: new AbortController().signal,
        },
      ),
    ).catch((error: unknown) => {
      if (error instanceof GarbageCollectionPausedError) throw new CommandError(error.message);
      throw error;
    });
    const { listed, superfluous, removed, stopped } = collected;
    if (stopped) {
      throw new CommandError(
        `${superfluous} of ${listed} objects are unreferenced, more than a tenth: none was removed. Make sure that database and bucket belong together, then add --force.`,
      );
    }
    return { data: { ...collected }, text: `${removed} of ${listed} objects were unreferenced and are removed.` };
  },
});
