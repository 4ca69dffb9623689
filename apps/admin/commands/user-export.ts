import { resolve } from 'node:path';
import { z } from 'zod';
import { CommandError, defineCommand } from '../command.ts';
import { exportUser } from '../export/export-user.ts';
import { createZip, type ZipWriter } from '../export/zip-writer.ts';
import { withStorage } from '../storage.ts';
import { emailOption, findUser } from '../users.ts';

/** Raised when a program that reads exports would have to be changed. */
const FORMAT = 1;

/** @throws CommandError where the file is there already, or cannot be made. */
async function createTarget(file: string): Promise<ZipWriter> {
  try {
    return await createZip(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw new CommandError(`--to: there is a file ${file} already.`);
    throw new CommandError(`--to: ${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

export const userExport = defineCommand({
  name: 'user export',
  summary: 'Write the content of a user as a ZIP of Markdown and JSON. Takes the settings of the service (S3_*).',
  positional: 'email',
  options: z.object({
    email: emailOption,
    to: z.string().min(1).meta({ value: 'FILE', description: 'the ZIP; there must be no such file' }),
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
        const missing = counts.missingObjects === 0 ? '' : ` ${counts.missingObjects} stored objects are gone.`;
        const { spaces, sources, artifacts } = counts;
        return {
          data: { user: exported, file, counts },
          text: `${file} holds what ${email} has. Spaces: ${spaces}, sources: ${sources}, artifacts: ${artifacts}.${missing}`,
        };
      } catch (error) {
        await zip.discard();
        throw error;
      }
    });
  },
});
