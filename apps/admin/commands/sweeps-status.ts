import { z } from 'zod';
import { compareMarker } from '../../../db/bucket-ownership.ts';
import { defineCommand } from '../command.ts';
import { withStorage } from '../storage.ts';

export const sweepsStatus = defineCommand({
  name: 'sweeps status',
  summary: 'Show whether sweeps and purges wait, and why. Takes the settings of the service (S3_*).',
  options: z.object({}),
  async run(database) {
    const { mark, identity, heldFor } = await withStorage((storage) => compareMarker({ database, storage }));
    const held = mark !== null && heldFor !== null;
    return {
      data: { held, reason: heldFor, mark, identity },
      text: held
        ? `Sweeps and purges wait. ${heldFor}`
        : (heldFor ?? `Sweeps and purges are done. Database: ${identity}.`),
    };
  },
});
