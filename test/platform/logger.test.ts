import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const logger = fileURLToPath(new URL('../../platform/logger.ts', import.meta.url));

/** The output of a process that logs a thrown `expression`. */
function logged(expression: string): string {
  const code = `import { createLogger } from ${JSON.stringify(logger)};
    try { throw ${expression} } catch (err) { createLogger('test', 'info').warn({ event: 'test', err }); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

test('a log line holds an error’s kind, message, stack and cause', () => {
  const line = JSON.parse(
    logged("new Error('outer words', { cause: Object.assign(new TypeError('inner'), { code: 'E1' }) })"),
  );
  expect(line.err).toMatchObject({
    kind: 'Error',
    message: 'outer words',
    stack: expect.stringMatching(/^at /),
    cause: { kind: 'TypeError E1', message: 'inner' },
  });
});

test.each([
  ['a quote of JSON.parse', `(() => { try { JSON.parse('{"a": rareword}'); } catch (error) { return error; } })()`],
  ['the text that is not a URL', `(() => { try { new URL('rareword'); } catch (error) { return error; } })()`],
  [
    'the row that a constraint rejected',
    `Object.assign(new Error('violates'), { code: '23505', detail: 'Key (rareword)' })`,
  ],
  ['the value of a data exception', `Object.assign(new Error('invalid input syntax: "rareword"'), { code: '22P02' })`],
  ['any of them as a cause', `new Error('x', { cause: new SyntaxError('rareword') })`],
])('a log line does not hold %s', (_, expression) => {
  const line = logged(expression);
  expect(line).toContain('"event":"test"');
  expect(line).not.toContain('rareword');
});

test('an `error` field that is a code is logged unchanged', () => {
  const code = `import { createLogger } from ${JSON.stringify(logger)};
    createLogger('test', 'info').info({ event: 'test', error: 'fetch_dns' });`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ event: 'test', error: 'fetch_dns' });
});
