import { z } from 'zod';
import { ApiKey } from '../../../db/entities/api-key.ts';
import { CommandError, defineCommand } from '../command.ts';

export const keyDelete = defineCommand({
  name: 'key delete',
  summary: 'Delete an API key. Its next request is rejected with 401.',
  options: z.object({
    id: z.uuid({ error: 'must be the id of a key.' }).meta({ value: 'ID', description: 'id, from "key list"' }),
  }),
  async run(database, { id }) {
    const deleted = await database.orm.em.fork().nativeDelete(ApiKey, { id });
    if (deleted === 0) throw new CommandError(`--id: there is no key ${id}. "key list --user ADDRESS" shows a user's.`);
    return { data: { deleted: id }, text: `Key ${id} is deleted.` };
  },
});
