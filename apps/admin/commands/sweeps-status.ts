import { z } from 'zod';
import { compareMarker } from '../../../db/bucket-ownership.ts';
import { defineCommand } from '../command.ts';
import { withStorage } from '../storage.ts';

export const sweepsStatus = defineCommand({
  name: 'sweeps status',
  summary: 'Show whether sweeps and purges are paused, and why. Needs the service’s settings (S3_*).',
  options: z.object({}),
  async run(database) {
    const { mark, identity, pauseReason } = await withStorage((storage) => compareMarker({ database, storage }));
    const held = mark !== null && pauseReason !== null;
    return {
      data: { held, reason: pauseReason, mark, identity },
      text: held
        ? `Sweeps and purges are paused. ${pauseReason}`
        : (pauseReason ?? `Sweeps and purges are not paused. Database: ${identity}.`),
    };
  },
});
