/** `npm run admin -- <noun> <verb> [options]`: the operator's command line. */
import { CommanderError } from 'commander';
import { type Database, openDatabase } from '../../db/orm.ts';
import { databaseUrlForTools } from '../../platform/config.ts';
import { CommandError, type Execute } from './command.ts';
import { createProgram } from './program.ts';

const EXIT_FAILED = 1;
/** EX_USAGE of sysexits.h. */
const EXIT_USAGE = 64;

/** Returns the message of an error, with those inside an AggregateError one per line. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('\n');
  return error instanceof Error ? error.message : String(error);
}

const execute: Execute = async (name, run, { json }) => {
  const url = databaseUrlForTools();
  let database: Database | undefined;
  try {
    database = await openDatabase(url, 2);
    const { data, text } = await run(database);
    process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
  } catch (error) {
    const where = error instanceof CommandError ? '' : `${name} (DATABASE_URL at ${new URL(url).host}): `;
    process.stderr.write(`${where}${messageOf(error)}\n`);
    process.exitCode = EXIT_FAILED;
  } finally {
    await database?.close();
  }
};

const args = process.argv.slice(2);
try {
  await createProgram(execute).parseAsync(args.length > 0 ? args : ['--help'], { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
}
