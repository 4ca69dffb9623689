/** `npm run admin -- <noun> <verb> [options]`: what an operator does at the command line. */
import { ZodError } from 'zod';
import { openDatabase } from '../../db/orm.ts';
import { databaseUrlForTools } from '../../platform/config.ts';
import { userCreate, userCreateUsage } from './commands/user-create.ts';

const commands = new Map([['user create', { run: userCreate, usage: userCreateUsage }]]);
const usage = `Usage: npm run admin -- COMMAND\n${[...commands.values()].map((command) => `  ${command.usage}`).join('\n')}\n`;

const [noun = '', verb = '', ...args] = process.argv.slice(2);
const command = commands.get(`${noun} ${verb}`);
if (command === undefined || args.includes('--help')) {
  process.stdout.write(usage);
  process.exit(noun === '' || noun === '--help' || command !== undefined ? 0 : 64);
}
const database = await openDatabase(databaseUrlForTools(), 2);
try {
  process.stdout.write(`${await command.run(database, args)}\n`);
} catch (error) {
  const message =
    error instanceof ZodError
      ? error.issues.map((issue) => issue.message).join('\n')
      : error instanceof Error
        ? error.message
        : String(error);
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
} finally {
  await database.close();
}
