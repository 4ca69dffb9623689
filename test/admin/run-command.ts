import type { Outcome } from '../../apps/admin/command.ts';
import { createProgram } from '../../apps/admin/program.ts';
import type { Database } from '../../db/orm.ts';

/** Runs a command in this process: a child process per command would take most of a test's time. */
export async function runCommand(database: Database, line: string): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const program = createProgram(async (_, run) => {
    outcomes.push(await run(database));
  });
  const commands = program.commands.flatMap((noun) => noun.commands);
  for (const command of commands) command.configureOutput({ writeErr: () => undefined });
  await program.parseAsync(line.split(' '), { from: 'user' });
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error(`"${line}" ran no command.`);
  return outcome;
}
