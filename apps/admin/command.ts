/** Definition of an admin command, for the parser and help of commander. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Database } from '../../db/orm.ts';

/** Result of a command: `data` is printed with `--json`, `text` without. */
export interface Outcome {
  data: Readonly<Record<string, unknown>>;
  text: string;
}

interface Definition<Shape extends z.ZodRawShape> {
  /** Noun and verb: `user create`. */
  name: string;
  summary: string;
  /**
   * One field for each option; a boolean that is true by default is set to false by `--no-` and its name. `--help`
   * shows `value` and `description` of its metadata.
   */
  options: z.ZodObject<Shape>;
  /** Option that may also be given as a positional argument: `user delete ADDRESS`. */
  positional?: keyof Shape & string;
  run(database: Database, options: z.infer<z.ZodObject<Shape>>): Promise<Outcome>;
}

/** A valid command failed: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Runs the command `name`, whose options are valid. */
export type Execute = (
  name: string,
  run: (database: Database) => Promise<Outcome>,
  output: { json: boolean },
) => Promise<void>;

/** Returns the schema inside `optional` and `default`. */
function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrap(schema.def.innerType) : schema;
}

const optionMeta = z.object({ value: z.string().default('VALUE'), description: z.string().default('') });

/** Returns a function that adds the command to the program. */
export function defineCommand<Shape extends z.ZodRawShape>(definition: Definition<Shape>) {
  const { name, summary, options, positional, run } = definition;
  return (program: Command, execute: Execute): void => {
    const [noun = '', verb = ''] = name.split(' ');
    const parent = program.commands.find((command) => command.name() === noun) ?? program.command(noun);
    const command = parent.command(verb).description(summary);
    const usage = Object.entries(options.shape).map(([key, field]) => {
      const { value, description } = optionMeta.parse(z.globalRegistry.get(field) ?? {});
      const { success: isOptional, data: fallback } = z.safeParse(field, undefined);
      const flag = fallback === true ? `--no-${key}` : `--${key}`;
      const flags = unwrap(field) instanceof z.ZodBoolean ? flag : `${flag} <${value}>`;
      command.addOption(new Option(flags, description).hideHelp(key === positional));
      if (key === positional) command.argument(`[${value}]`, description);
      const text = key === positional ? value : flags.replaceAll(/[<>]/g, '');
      return isOptional ? `[${text}]` : text;
    });
    command
      .usage([...usage, '[--json]'].join(' '))
      .option('--json', 'print the result as JSON')
      .showHelpAfterError(`See: npm run admin -- ${name} --help`)
      .action(async () => {
        const { json = false, ...values } = command.opts();
        const [argument] = command.args;
        if (positional !== undefined && argument !== undefined) {
          if (positional in values) command.error(`Unexpected argument '${argument}'.`);
          values[positional] = argument;
        }
        const checked = options.safeParse(values);
        if (!checked.success) return command.error(messageOf(checked.error, values));
        await execute(name, (database) => run(database, checked.data), { json });
      });
  };
}

/** Returns one line for each invalid option. */
function messageOf({ issues }: z.ZodError, values: object): string {
  const lines = issues.map(({ path: [name = ''], message }) =>
    name in values ? `--${String(name)}: ${message}` : `--${String(name)} is required.`,
  );
  return lines.join('\n');
}

/** Formats rows as a text table with aligned columns below `headings`. */
export function table(headings: string[], rows: string[][]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
