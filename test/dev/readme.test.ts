import { readFileSync } from 'node:fs';
import { parseStartSettings, settingNames } from '../../platform/config.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const settings = readme.slice(readme.indexOf('\n## Settings'), readme.indexOf('\n## Docker Compose'));

test('the README names every setting of the service, and no other', () => {
  const named = [...settings.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name);
  expect([...new Set(named)].toSorted()).toEqual(settingNames.toSorted());
});

test('the README names the ports of npm start', () => {
  const ports = Object.entries(parseStartSettings({})).filter(([name]) => name.endsWith('_PORT'));
  expect(ports).toHaveLength(6);
  for (const [name, port] of ports) {
    const row = new RegExp(`^\\|.*:(\\d+) *\\| *\`${name}\` *\\|`, 'm').exec(readme);
    expect({ name, port: row?.[1] }).toEqual({ name, port: String(port) });
  }
});
