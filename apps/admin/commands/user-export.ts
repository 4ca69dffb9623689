import { resolve } from 'node:path';
import { z } from 'zod';
import { CommandError, defineCommand } from '../command.ts';
import { exportUser } from '../export/export-user.ts';
import { createZip, type ZipWriter } from '../export/zip-writer.ts';
import { withStorage } from '../storage.ts';
import { emailOption, findUser } from '../users.ts';

/** Version of the export format; incremented by incompatible changes. */
const FORMAT = 1;

/** @throws CommandError if the file exists or cannot be created. */
async function createTarget(file: string): Promise<ZipWriter> {
  try {
    return await createZip(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new CommandError(`--to: the file ${file} exists already.`);
    throw new CommandError(`--to: ${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

export const userExport = defineCommand({
  name: 'user export',
  summary: 'Export the data of a user as a ZIP of Markdown and JSON. Needs the service’s settings (S3_*).',
  positional: 'email',
  options: z.object({
    email: emailOption,
    to: z.string().min(1).meta({ value: 'FILE', description: 'path of the ZIP; the file must not exist' }),
  }),
  async run(database, { email, to }) {
    const { user } = await findUser(database, email, '--email');
    const { id, name, plan, createdAt } = user;
    const file = resolve(to);
    return withStorage(async (storage) => {
      const zip = await createTarget(file);
      try {
        const counts = await exportUser({ database, storage, zip }, { id, email, name, plan, createdAt });
        const exported = { id, email, name, plan, createdAt: createdAt.toISOString() };
        await zip.finish('manifest.json', {
          format: FORMAT,
          exportedAt: new Date().toISOString(),
          user: exported,
          counts,
        });
        const { spaces, sources, artifacts, missingObjects } = counts;
        const missing = missingObjects === 0 ? '' : ` ${missingObjects} objects are missing from the bucket.`;
        return {
          data: { user: exported, file, counts },
          text: `${file} contains the data of ${email}. Spaces: ${spaces}, sources: ${sources}, artifacts: ${artifacts}.${missing}`,
        };
      } catch (error) {
        await zip.discard();
        throw error;
      }
    });
  },
});
