import { z } from 'zod';
import { compareMarker, markBucket } from '../../../db/bucket-ownership.ts';
import { defineCommand } from '../command.ts';
import { withStorage } from '../storage.ts';

export const sweepsResume = defineCommand({
  name: 'sweeps resume',
  summary: 'Accept the database as owner of the bucket: sweeps and purges resume. Needs the service’s settings (S3_*).',
  options: z.object({}),
  async run(database) {
    return withStorage(async (storage) => {
      const { mark: before, identity, pauseReason } = await compareMarker({ database, storage });
      if (pauseReason === null) {
        const text = 'Sweeps and purges are not paused. Nothing was changed.';
        return { data: { resumed: false, before, after: before }, text };
      }
      const after = await markBucket({ database, storage });
      return {
        data: { resumed: true, before, after },
        text: `The bucket now belongs to ${identity}${before === null ? '' : `, no longer to ${before.identity}`}. Sweeps and purges resume.`,
      };
    });
  },
});
