import fc from 'fast-check';
import { Client } from 'pg';
import { jsonb } from '../../db/sql.ts';
import { stack } from '../support/stack.ts';

let client: Client;
beforeAll(async () => {
  client = new Client({ connectionString: stack().settings.DATABASE_URL });
  await client.connect();
});
afterAll(() => client.end());

test('any text can be stored as jsonb; U+0000 and lone surrogates become U+FFFD', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })),
      async (text, units) => {
        const value = { text, cut: String.fromCharCode(...units), nul: 'a\0b', lone: 'x\ud800' };
        const { rows } = await client.query('select $1::jsonb as value', [jsonb(value)]);
        expect(rows[0].value.text).toBe(text.replaceAll('\0', '\uFFFD').toWellFormed());
        expect(rows[0].value).toMatchObject({ nul: 'a\uFFFDb', lone: 'x\uFFFD' });
      },
    ),
    { numRuns: 200 },
  );
});
