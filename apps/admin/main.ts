/** `npm run admin -- <noun> <verb> [options]`: the operator's command line. */
import { type Database, openDatabase } from '../../db/orm.ts';
import { databaseUrlForTools } from '../../platform/config.ts';
import { type AnyCommand, CommandError, UsageError } from './command.ts';
import { commands } from './commands/index.ts';
import { helpOf, helpOfCommand } from './help.ts';

const EXIT_FAILED = 1;
/** EX_USAGE of sysexits.h. */
const EXIT_USAGE = 64;

/** Returns the message of an error, with those inside an AggregateError one per line. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('\n');
  return error instanceof Error ? error.message : String(error);
}

/** Runs a command and returns its exit code. */
async function execute(command: AnyCommand, args: string[]): Promise<number> {
  const json = args.includes('--json');
  const url = databaseUrlForTools();
  let database: Database | undefined;
  try {
    const run = command.prepare(args.filter((arg) => arg !== '--json'));
    database = await openDatabase(url, 2);
    const { data, text } = await run(database);
    process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\nSee: npm run admin -- ${command.name} --help\n`);
      return EXIT_USAGE;
    }
    const where = error instanceof CommandError ? '' : `${command.name} (DATABASE_URL at ${new URL(url).host}): `;
    process.stderr.write(`${where}${messageOf(error)}\n`);
    return EXIT_FAILED;
  } finally {
    await database?.close();
  }
}

const [noun = '', verb = '', ...args] = process.argv.slice(2);
const command = commands.find(({ name }) => name === `${noun} ${verb}`);
if (command !== undefined && args.includes('--help')) {
  process.stdout.write(helpOfCommand(command));
} else if (command !== undefined) {
  process.exitCode = await execute(command, args);
} else if (noun === '' || noun === '--help' || verb === '--help') {
  const ofNoun = commands.filter(({ name }) => name.startsWith(`${noun} `));
  process.stdout.write(helpOf(ofNoun.length > 0 ? ofNoun : commands));
} else {
  process.stderr.write(`There is no command "${`${noun} ${verb}`.trim()}".\n\n${helpOf(commands)}`);
  process.exitCode = EXIT_USAGE;
}
