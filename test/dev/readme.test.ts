import { readFileSync } from 'node:fs';
import { parseStartSettings, settingNames } from '../../platform/config.ts';
import { startSchema } from '../../platform/settings.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

test('docs/settings.md and .env.example name every setting, and no other', () => {
  const expected = [...new Set([...settingNames, ...Object.keys(startSchema.shape)])].toSorted();
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(expected);
  const lines = [...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
  expect(lines.toSorted()).toEqual(expected);
});

test('the README names the ports of npm start', () => {
  const ports = Object.entries(parseStartSettings({})).filter(([name]) => name.endsWith('_PORT'));
  expect(ports).toHaveLength(6);
  for (const [name, port] of ports) {
    const row = new RegExp(`^\\|.*:(\\d+) *\\| *\`${name}\` *\\|`, 'm').exec(readme);
    expect({ name, port: row?.[1] }).toEqual({ name, port: String(port) });
  }
});
