/** Owners share a scarce resource; requests are granted in their order. */
import { FairShare } from '../../../apps/api/admission/fair-share.ts';

const never = new AbortController().signal;

/** A resource of 10 units, at most 6 per owner; `taken` lists the granted requests in order. */
function share() {
  const memory = new FairShare({ max: 10, maxPerOwner: 6, waitTimeoutMs: 60_000 });
  const taken: string[] = [];
  const take = async (name: string, owner: string, bytes: number, signal = never) => {
    const release = await memory.take(owner, bytes, signal);
    taken.push(name);
    return release;
  };
  return { take, taken };
}
/** Resolves after all pending promise callbacks. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a request beyond the limit of its owner waits, and requests of other owners pass it', async () => {
  const { take, taken } = share();
  const release = await take('a1', 'a', 6);
  const second = take('a2', 'a', 1);
  await take('b1', 'b', 4);
  expect(taken).toEqual(['a1', 'b1']);
  release();
  await second;
  expect(taken).toEqual(['a1', 'b1', 'a2']);
});

test('a request larger than the whole resource is granted alone, and later requests do not pass it', async () => {
  const { take, taken } = share();
  const release = await take('a1', 'a', 5);
  const large = take('large', 'b', 50);
  const small = take('small', 'c', 1);
  await settled();
  expect(taken).toEqual(['a1']);
  release();
  const releaseLarge = await large;
  await settled();
  expect(taken).toEqual(['a1', 'large']);
  releaseLarge();
  await small;
  expect(taken).toEqual(['a1', 'large', 'small']);
});

test('a second release has no effect, and an aborted request is granted nothing', async () => {
  const { take, taken } = share();
  const release = await take('a1', 'a', 6);
  const leaving = new AbortController();
  const left = take('a2', 'a', 6, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await take('b1', 'b', 4);
  const waiting = take('c1', 'c', 6);
  release();
  release();
  await waiting;
  const ended = new AbortController();
  const more = take('d1', 'd', 1, ended.signal);
  await settled();
  expect(taken).toEqual(['a1', 'b1', 'c1']);
  ended.abort(new Error('over'));
  await expect(more).rejects.toThrow('over');
  await expect(take('e1', 'e', 1, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before');
});

test('a request that waits longer than the limit of 50 ms is 503 and no longer blocks later ones', async () => {
  const memory = new FairShare({ max: 10, maxPerOwner: 10, waitTimeoutMs: 50 });
  const release = await memory.take('a', 5, never);
  const large = memory.take('b', 10, never);
  await expect(large).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } });
  await memory.take('c', 5, never);
  release();
});
