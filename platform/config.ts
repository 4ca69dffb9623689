/**
 * Parses the settings (settings.ts) once, at the start of a process. No other file reads the environment.
 * An invalid or missing setting stops the process; the error has one line for each: its name and the expected value.
 */
import type { z } from 'zod';
import { settingsSchema, startSchema } from './settings.ts';
import { type SettingIssue, TEMPORAL_SECURITY_SETTINGS, temporalConflicts } from './temporal-settings.ts';

export type Config = Readonly<z.infer<typeof settingsSchema>>;

/** The names of all settings, for tests that compare other files with them. */
export const settingNames = Object.keys(settingsSchema.shape);
/** The names of the settings that have no default. */
export const requiredSettingNames = Object.entries(settingsSchema.shape)
  .filter(([, field]) => !field.safeParse(undefined).success)
  .map(([name]) => name);

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings among `names` that are set. An empty string counts as unset, as in a compose file's `${NAME:-}`. */
function setOnes(environment: Record<string, string | undefined>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** @param conflictsOf what is wrong with settings that are right by themselves. */
function parseSettings<Output>(
  schema: z.ZodType<Output>,
  given: Record<string, string>,
  conflictsOf: (settings: Output) => SettingIssue[] = () => [],
): Output {
  const result = schema.safeParse(given);
  const issues = result.success
    ? conflictsOf(result.data)
    : result.error.issues.map((issue) => {
        const setting = String(issue.path[0]);
        return { setting, message: given[setting] === undefined ? 'must be set' : issue.message };
      });
  if (result.success && issues.length === 0) return result.data;
  const lines = issues.map(({ setting, message }) => `  ${setting}: ${message}`);
  throw new ConfigError(`The settings are not usable:\n${lines.join('\n')}`);
}

/**
 * Reads the settings from `environment`.
 * @throws ConfigError with a line for each setting that is wrong.
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  return parseSettings(settingsSchema, setOnes(environment, settingNames), temporalConflicts);
}

export interface StartSettings extends Readonly<z.infer<typeof startSchema>> {
  /** The settings of the service that are set, to be handed to its processes. */
  service: Readonly<Record<string, string>>;
}

/** The Temporal that `npm start` itself starts has no TLS and asks for no key. */
function securityOfOwnTemporal(service: Record<string, string>): SettingIssue[] {
  return TEMPORAL_SECURITY_SETTINGS.filter((setting) => setting in service).map((setting) => ({
    setting,
    message: 'is for a Temporal that runs elsewhere: set TEMPORAL_ADDRESS too',
  }));
}

/** @throws ConfigError with a line for each setting that is wrong, those of the service among them. */
export function parseStartSettings(environment: Record<string, string | undefined>): StartSettings {
  const startNames = Object.keys(startSchema.shape);
  const given = setOnes(environment, startNames);
  const service = setOnes(
    environment,
    settingNames.filter((name) => !startNames.includes(name)),
  );
  // Those of the service are judged here, before anything is started, and not by a process that ends early.
  parseSettings(settingsSchema.partial().extend(startSchema.shape), { ...service, ...given }, (settings) =>
    given.TEMPORAL_ADDRESS === undefined ? securityOfOwnTemporal(service) : temporalConflicts(settings),
  );
  return { ...startSchema.parse(given), service };
}

function orExit<T>(parse: (environment: Record<string, string | undefined>) => T): T {
  try {
    return parse(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(78);
  }
}

/** The settings of this process, or a clear message and exit code 78 (EX_CONFIG of sysexits.h). */
export function loadConfig(): Config {
  return orExit(parseConfig);
}

/**
 * Lets so many names be looked up at once; to be called before anything uses Node's thread pool. A look-up holds a thread
 * until it is answered, for 10 s and longer where the server of a name is silent, and look-ups get half of the threads:
 * two of the default four, so that two such names of one user would hold up everybody's.
 */
export function allowLookups(count: number): void {
  process.env.UV_THREADPOOL_SIZE ??= String(2 * count);
}

/** The settings of `npm start` or the demo, or a clear message and exit code 78. */
export function loadStartSettings(): StartSettings {
  return orExit(parseStartSettings);
}

/** The keys that encrypt secrets, for a tool that needs no other setting; null where SECRETS_KEY is not set. */
export function secretsKeysForTools(): Pick<Config, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'> | null {
  const given = setOnes(process.env, ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS']);
  if (given.SECRETS_KEY === undefined) return null;
  return parseSettings(settingsSchema.pick({ SECRETS_KEY: true, SECRETS_KEY_PREVIOUS: true }), given);
}

/** The database that command line tools of development look at, where no whole configuration is needed. */
export function databaseUrlForTools(): string {
  return process.env.DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/context_workspace';
}
