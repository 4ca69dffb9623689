import { newUser } from '../support/client.ts';

describe('a CONTENT source', () => {
  test('runs to COMPLETED and shows its content, context and artifacts', async () => {
    const user = await newUser();
    const source = await user.content('# Hello\n\nSee [docs](https://example.com/a).\n\n```ts\nconst a = 1;\n```\n');
    expect(source).toMatchObject({ type: 'CONTENT', name: 'Hello', generation: 1 });
    const done = await user.reach(source.id, 'COMPLETED');
    expect(done).toMatchObject({ resultGeneration: 1, contextGeneration: 1, artifactsGeneration: 1, error: null });
    expect(done.context?.title).toBe('Hello');
    expect(await user.markdown(source.id)).toContain('const a = 1;');
    const artifacts = await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`);
    expect(artifacts.body.data.map((artifact: { kind: string }) => artifact.kind).sort()).toEqual(['code', 'link']);
  });

  test.each(['"Yes."... Then he left.', 'He took the "handle."... There was no door.'])(
    'of the text %j runs to COMPLETED',
    async (text) => {
      const user = await newUser();
      const { id } = await user.content(text);
      const done = await user.reach(id, 'COMPLETED');
      expect(done).toMatchObject({ error: null, context: { statistics: { sentences: 2 } } });
      expect(await user.markdown(id)).toContain('...');
    },
  );
});
