/**
 * `npm run docs:settings`: writes docs/settings.md and .env.example from platform/settings.ts.
 * With `--check` (`npm run check:settings`) it writes nothing, and exits with 1 when one of them differs.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { defaultLimits } from '../extraction/limits.ts';
import { requiredSettingNames } from '../platform/config.ts';
import { type SettingGroup, settingGroups } from '../platform/settings.ts';

type Setting = SettingGroup['settings'][string];

const SECONDS_OF: readonly [string, number][] = [
  ['d', 24 * 3600],
  ['h', 3600],
  ['min', 60],
];
const BYTES_OF: readonly [string, number][] = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
];

/** `2592000` as `30 d`; null where no larger unit divides it. */
function inLargerUnit(name: string, value: number): string | null {
  const units = name.endsWith('_SECONDS') ? SECONDS_OF : name.includes('_BYTES') ? BYTES_OF : [];
  const unit = units.find(([, size]) => value >= size && value % size === 0);
  return unit === undefined ? null : `${value / unit[1]} ${unit[0]}`;
}

/** The defaults that are not in the schema of the settings: EXTRACTION_MAX_INFLATED_BYTES is `inflatedBytes`. */
const limitDefaults = new Map(
  Object.entries(defaultLimits).map(([limit, value]) => [
    `EXTRACTION_MAX_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    value,
  ]),
);

/** The default of a setting as it is written in the environment; null where it has none, or one that varies. */
function defaultOf(name: string, setting: Setting): string | null {
  if (setting.meta()?.defaultText !== undefined) return null;
  const limit = limitDefaults.get(name);
  if (limit === undefined && name.startsWith('EXTRACTION_MAX_')) throw new Error(`extraction/limits.ts lacks ${name}`);
  const value = limit ?? setting.safeParse(undefined).data;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? null : String(value);
}

function shownDefault(name: string, setting: Setting): string {
  const text = setting.meta()?.defaultText;
  if (typeof text === 'string') return text;
  if (requiredSettingNames.includes(name)) return '**required**';
  const value = defaultOf(name, setting);
  if (value === null) return 'none';
  const larger = inLargerUnit(name, Number(value));
  return larger === null ? `\`${value}\`` : `\`${value}\` (${larger})`;
}

function descriptionOf(name: string, setting: Setting): string {
  if (setting.description === undefined) throw new Error(`${name} has no description in platform/settings.ts`);
  return setting.description;
}

function table({ settings }: SettingGroup): string {
  const rows = Object.entries(settings).map(
    ([name, setting]) => `| \`${name}\` | ${shownDefault(name, setting)} | ${descriptionOf(name, setting)} |`,
  );
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

const markdown = `# Settings

<!-- Written by \`npm run docs:settings\` from platform/settings.ts. Edit that file. -->

Environment variables of API, dispatcher, worker and command line. \`npm start\` and \`npm run demo\` pass them on to
the processes that they start. An empty value counts as not set. An invalid or missing setting stops the process with
exit code 78 and one line for each such setting. Names say the unit: \`_SECONDS\`, \`_BYTES\`, \`_MB\` (MiB). Lists are
separated by commas.

With Docker Compose, a setting that docker-compose.yml names is set in \`.env\`, every other one in \`settings.env\`.
[\`.env.example\`](../.env.example) has all of them as lines to copy.

${settingGroups
  .map((group) => `## ${group.title}\n\n${group.about === undefined ? '' : `${group.about}\n\n`}${table(group)}`)
  .join('\n\n')}
`;

function exampleLines({ title, settings }: SettingGroup): string {
  const lines = Object.entries(settings).flatMap(([name, setting]) => {
    const text = setting.meta()?.defaultText;
    const varying = text === undefined ? '' : `. Default: ${text}`;
    const remark = requiredSettingNames.includes(name) ? '. Required' : varying;
    return [`# ${descriptionOf(name, setting)}${remark}`, `#${name}=${defaultOf(name, setting) ?? ''}`, ''];
  });
  return [`## ${title.replaceAll('`', '')}`, '', ...lines].join('\n');
}

const example = `# Every setting with its default, written by \`npm run docs:settings\` from platform/settings.ts.
# Docker Compose: copy lines to settings.env, or to .env those that docker-compose.yml names.
# Without Docker: node --env-file=FILE apps/api/main.ts, or EnvironmentFile=FILE of a systemd unit.

${settingGroups.map(exampleLines).join('\n')}`;

const root = new URL('../', import.meta.url);
const files = { 'docs/settings.md': markdown, '.env.example': `${example.trimEnd()}\n` };
const checksOnly = process.argv.includes('--check');
for (const [path, text] of Object.entries(files)) {
  const file = new URL(path, root);
  if (!checksOnly) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${path} differs from platform/settings.ts: run npm run docs:settings\n`);
    process.exitCode = 1;
  }
}
