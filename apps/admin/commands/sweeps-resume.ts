import { z } from 'zod';
import { compareMarker, markBucket } from '../../../db/bucket-ownership.ts';
import { defineCommand } from '../command.ts';
import { withStorage } from '../storage.ts';

export const sweepsResume = defineCommand({
  name: 'sweeps resume',
  summary:
    'Accept the database as the bucket’s, so that sweeps and purges go on. Takes the settings of the service (S3_*).',
  options: z.object({}),
  async run(database) {
    return withStorage(async (storage) => {
      const { mark: before, identity, heldFor } = await compareMarker({ database, storage });
      if (heldFor === null) {
        const text = 'Sweeps and purges do not wait. Nothing was changed.';
        return { data: { resumed: false, before, after: before }, text };
      }
      const after = await markBucket({ database, storage });
      return {
        data: { resumed: true, before, after },
        text: `The bucket belongs to ${identity} from now on${before === null ? '' : `, no longer to ${before.identity}`}. Sweeps and purges go on.`,
      };
    });
  },
});
