/** Compositions: they wait for their members, join them in order, and become stale. */

import { sourceWorkflowId } from '../../contract/commands.ts';
import { openDatabase } from '../../db/orm.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { newUser, received, release, script, sitePath } from '../support/client.ts';
import { startPrivateService } from '../support/private-service.ts';
import type { SiteResponse } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const user = await newUser();

const compose = (members: { id: string }[], instructions: Record<string, unknown> = {}) =>
  user.create({ type: 'COMPOSITION', initial_data: { data: members.map(({ id }) => id) }, instructions });
const reprocess = (id: string) => user.call('POST', `/v1/sources/${id}/reprocess`);
const cancel = (id: string) => user.call('POST', `/v1/sources/${id}/cancel`);

/** Sources of each outcome. */
async function completed(text: string) {
  const source = await user.content(text);
  return user.reach(source.id, 'COMPLETED');
}
async function failed() {
  const { id } = await user.create({
    type: 'URI',
    initial_data: { data: await script(sitePath('missing'), [{ status: 404 }]) },
    name: 'The missing page',
  });
  return user.reach(id, 'FAILED');
}
async function fetching(response: string | SiteResponse) {
  const path = sitePath('page');
  const data = await script(path, [{ hang: true }, typeof response === 'string' ? { body: response } : response]);
  const { id } = await user.create({ type: 'URI', initial_data: { data } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, path };
}
async function canceled() {
  const { id } = await fetching('<p>The text of the second try.</p>');
  await cancel(id);
  return user.get(id);
}
const waits = (id: string) =>
  until(`${id} waits`, async () => {
    const { status, progress } = await user.get(id);
    return status === 'PROCESSING' && progress?.stage === 'wait';
  });

describe('a composition', () => {
  test.concurrent('joins its members in their order, whatever the order of creation and completion', async () => {
    const texts = ['Alpha', 'Beta', 'Gamma'];
    const members = await Promise.all(texts.map((text) => user.content(`# ${text}\n\nThe text of ${text}.`)));
    const [alpha, beta, gamma] = members;
    if (!alpha || !beta || !gamma) throw new Error('three members');
    const made = await compose([gamma, alpha, beta]);
    await user.reach(made.id, 'COMPLETED');
    const markdown = await user.markdown(made.id);
    const positions = ['Gamma', 'Alpha', 'Beta'].map((text) => markdown.indexOf(`The text of ${text}.`));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
  });

  test.concurrent('accepts its members as one string of ids and returns the string unchanged', async () => {
    const [one, two] = await Promise.all([user.content('One text.'), user.content('Two text.')]);
    const data = `${two.id}, ${one.id}`;
    const { id } = await user.create({ type: 'COMPOSITION', initial_data: { data } });
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ initial_data: { data } });
    expect(await user.markdown(id)).toMatch(/Two text\.[\s\S]*One text\./);
  });

  test.concurrent('waits for a member that is processing and uses its result', async () => {
    const [done, slow] = await Promise.all([completed('Done before.'), fetching('<p>Done later than all.</p>')]);
    const { id } = await compose([slow, done]);
    await waits(id);
    await reprocess(slow.id);
    await user.reach(id, 'COMPLETED');
    expect(await user.markdown(id)).toMatch(/Done later than all\.[\s\S]*Done before\./);
  });

  test.concurrent('of compositions joins their results', async () => {
    const inner = await compose([await user.content('The innermost text.')]);
    const { id } = await compose([inner]);
    await user.reach(id, 'COMPLETED');
    expect(await user.markdown(id)).toContain('The innermost text.');
  });

  test.concurrent('has the artifacts of its members', async () => {
    const member = await user.content('# Code\n\n```js\ninside();\n```\n');
    const { id } = await compose([member]);
    await user.reach(id, 'COMPLETED');
    const { body } = await user.call('GET', `/v1/sources/${id}/artifacts`);
    expect(body.data).toMatchObject([{ kind: 'code', content: 'inside();', sourceId: id }]);
  });
});

describe('a member that', () => {
  const kinds: [string, () => Promise<{ id: string }>, string][] = [
    ['failed', failed, 'member_failed'],
    ['was canceled', canceled, 'member_canceled'],
  ];

  test.concurrent.each(kinds)('%s fails the composition, whose error names it', async (_, make, code) => {
    const [member, good] = await Promise.all([make(), completed('Good text.')]);
    const { id } = await compose([good, member]);
    const { error } = await user.reach(id, 'FAILED');
    expect(error).toMatchObject({ code, retryable: false });
    expect(error?.message).toContain(member.id);
    expect((await closedRun(temporal(), id)).status.name).toBe('COMPLETED');
  });

  test.concurrent.each(kinds)('%s is skipped and listed with on_member_failure: skip', async (_, make, code) => {
    const [member, good] = await Promise.all([make(), completed('Good text.')]);
    const { id } = await compose([member, good], { on_member_failure: 'skip' });
    const done = await user.reach(id, 'COMPLETED');
    expect(done.skippedMembers).toEqual([{ id: member.id, code }]);
    expect(await user.markdown(id)).toContain('Good text.');
  });

  test.concurrent('fails during the wait fails the composition', async () => {
    const member = await fetching({ status: 404 });
    const { id } = await compose([member]);
    await waits(id);
    await reprocess(member.id);
    expect((await user.reach(id, 'FAILED')).error).toMatchObject({ code: 'member_failed' });
  });

  test.concurrent('is canceled during the wait fails the composition', async () => {
    const member = await fetching('');
    const { id } = await compose([member]);
    await waits(id);
    await cancel(member.id);
    expect((await user.reach(id, 'FAILED')).error).toMatchObject({ code: 'member_canceled' });
  });

  test.concurrent('completes after a reprocess lets the composition complete after one', async () => {
    const member = await canceled();
    const { id } = await compose([member]);
    await user.reach(id, 'FAILED');
    await reprocess(member.id);
    await user.reach(member.id, 'COMPLETED');
    await reprocess(id);
    await user.reach(id, 'COMPLETED');
    expect(await user.markdown(id)).toContain('The text of the second try.');
  });
});

test('changed instructions apply from the next generation on', async () => {
  const [member, good] = await Promise.all([fetching({ status: 404 }), completed('Good text.')]);
  const { id } = await compose([member, good]);
  await waits(id);
  await user.call('PATCH', `/v1/sources/${id}`, { instructions: { on_member_failure: 'skip' } });
  await reprocess(member.id);
  expect((await user.reach(id, 'FAILED')).error).toMatchObject({ code: 'member_failed' });
  await reprocess(id);
  expect((await user.reach(id, 'COMPLETED')).skippedMembers).toEqual([{ id: member.id, code: 'member_failed' }]);
});

test('a purged member is member_deleted with the id that was sent', async () => {
  const [gone, good] = await Promise.all([completed('Text that goes.'), completed('Good text.')]);
  const [strict, lenient] = await Promise.all([
    compose([gone, good]),
    compose([gone, good], { on_member_failure: 'skip' }),
  ]);
  await Promise.all([strict, lenient].map(({ id }) => user.reach(id, 'COMPLETED')));
  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  await database.pool.query('delete from sources where id = $1', [gone.id]);
  await database.close();
  await Promise.all([strict, lenient].map(({ id }) => reprocess(id)));
  const { error } = await user.reach(strict.id, 'FAILED');
  expect(error).toMatchObject({ code: 'member_deleted', message: expect.stringContaining(gone.id) });
  const { skippedMembers } = await user.reach(lenient.id, 'COMPLETED');
  expect(skippedMembers).toEqual([{ id: gone.id, code: 'member_deleted' }]);
  expect(await user.markdown(lenient.id)).toBe('# Good text.\n\nGood text.\n');
});

test('a composition whose members are all skipped completes with empty Markdown', async () => {
  const member = await failed();
  const { id } = await compose([member], { on_member_failure: 'skip' });
  const done = await user.reach(id, 'COMPLETED');
  expect(done.skippedMembers).toEqual([{ id: member.id, code: 'member_failed' }]);
  expect(await user.markdown(id)).toBe('');
  expect((await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data).toEqual([]);
});

test('a composition is stale from a newer result of a member until it is reprocessed', async () => {
  const [member, other] = await Promise.all([completed('Member text.'), completed('Other text.')]);
  const { id } = await compose([member, other]);
  const { stale, revision } = await user.reach(id, 'COMPLETED');
  expect(stale).toBe(false);
  await reprocess(member.id);
  await until('the member has a newer result', async () => (await user.get(member.id)).resultGeneration === 2);
  expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', stale: true, revision: revision + 1 });
  const list = await user.call('GET', `/v1/spaces/${user.spaceId}/sources?type=COMPOSITION`);
  expect(list.body.data.find((one: { id: string }) => one.id === id)).toMatchObject({ stale: true });
  await reprocess(id);
  await until('it has joined the newer result', async () => (await user.get(id)).resultGeneration === 2);
  expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', stale: false });
});

test('a composition does not wait again for an ended member that is refreshed during the wait', async () => {
  const [done, slow] = await Promise.all([completed('Done.'), fetching('<p>Slow.</p>')]);
  const { id } = await compose([done, slow]);
  await waits(id);
  // A newer generation of an ended member does not restart the wait.
  const held = await user.create({
    type: 'URI',
    initial_data: { data: await script(sitePath('held'), [{ body: '<p>Held.</p>' }, { hang: true }]) },
  });
  await user.reach(held.id, 'COMPLETED');
  const second = await compose([held, slow]);
  await waits(second.id);
  await user.call('POST', `/v1/sources/${held.id}/refresh`, {});
  await until('the refresh is in progress', async () => (await user.get(held.id)).progress?.stage === 'fetch');
  await reprocess(slow.id);
  await user.reach(second.id, 'COMPLETED');
  expect(await user.markdown(second.id)).toMatch(/Held\.[\s\S]*Slow\./);
  expect((await user.get(held.id)).status).toBe('PROCESSING');
  await user.reach(id, 'COMPLETED');
  await cancel(held.id);
});

test('a member that does not end within MEMBER_WAIT_SECONDS is member_timeout, or skipped with that code', async () => {
  const service = await startPrivateService({ settings: { MEMBER_WAIT_SECONDS: '1' } });
  try {
    await service.startWorker();
    const own = await service.newUser();
    const good = await own.content('Good text.');
    await own.reach(good.id, 'COMPLETED');
    const { id } = await own.create({
      type: 'URI',
      initial_data: { data: await script(sitePath('hanging'), [{ hang: true }]) },
    });
    const data = [id, good.id];
    const [strict, lenient] = await Promise.all(
      ['fail', 'skip'].map((on_member_failure) =>
        own.create({ type: 'COMPOSITION', initial_data: { data }, instructions: { on_member_failure } }),
      ),
    );
    const { error } = await own.reach(strict?.id ?? '', 'FAILED');
    expect(error).toMatchObject({ code: 'member_timeout', retryable: true });
    const { skippedMembers } = await own.reach(lenient?.id ?? '', 'COMPLETED');
    expect(skippedMembers).toEqual([{ id, code: 'member_timeout' }]);
    expect(await own.markdown(lenient?.id ?? '')).toContain('Good text.');
    // Otherwise the stop of the worker would wait for the fetch.
    await own.call('POST', `/v1/sources/${id}/cancel`);
    await closedRun(temporal(), id);
  } finally {
    await service.stop();
  }
});

test('a composition may check its members more than 15 times, beyond the limit of tries', async () => {
  const service = await startPrivateService({ settings: { MEMBER_LOOK_SECONDS: '0.1' } });
  try {
    await service.startWorker();
    const own = await service.newUser();
    const path = sitePath('held');
    const data = await script(path, [{ held: true, body: '<p>Text.</p>' }]);
    const member = await own.create({ type: 'URI', initial_data: { data } });
    const made = await own.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
    const run = service.temporal.workflow.getHandle(sourceWorkflowId(made.id));
    await until(
      'it has checked more often than the limit of tries',
      async () => {
        const { raw } = await run.describe();
        return (raw.pendingActivities?.[0]?.attempt ?? 0) > 15;
      },
      60_000,
    );
    await release(path);
    expect(await own.reach(made.id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1 });
  } finally {
    await service.stop();
  }
}, 180_000);

test('a composition that would be too long fails before its members are loaded', async () => {
  const service = await startPrivateService({ settings: { EXTRACTION_MAX_CHARACTERS: '1000' } });
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  try {
    await service.startWorker();
    const owner = await service.newUser();
    const members = await Promise.all(
      Array.from({ length: 3 }, (_, n) => owner.content(`Text ${n} ${'a'.repeat(400)}`)),
    );
    for (const { id } of members) await owner.reach(id, 'COMPLETED', 60_000);
    for (const { id } of members) await storage.deletePrefix(`sources/${id}/`);
    const compose = (of: { id: string }[]) =>
      owner.create({ type: 'COMPOSITION', initial_data: { data: of.map(({ id }) => id) } });
    const [long, short] = [await compose(members), await compose(members.slice(0, 1))];
    expect((await owner.reach(long.id, 'FAILED')).error).toMatchObject({ code: 'extraction_limit', stage: 'fetch' });
    // Control: a short composition finds that the objects are missing.
    expect((await owner.reach(short.id, 'FAILED')).error).toMatchObject({ code: 'content_lost' });
  } finally {
    storage.close();
    await service.stop();
  }
}, 120_000);
