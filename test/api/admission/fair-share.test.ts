/** What is scarce is shared by owners, in the order in which it is asked for. */
import { FairShare } from '../../../apps/api/admission/fair-share.ts';

const never = new AbortController().signal;

/** A share of 10, 6 for an owner, and who has taken of it so far. */
function share() {
  const memory = new FairShare({ most: 10, mostOfOwner: 6, patienceMs: 60_000 });
  const taken: string[] = [];
  const take = async (name: string, owner: string, bytes: number, signal = never) => {
    const release = await memory.take(owner, bytes, signal);
    taken.push(name);
    return release;
  };
  return { take, taken };
}
/** Once everything that can begin has begun. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an owner without room waits, and others go past', async () => {
  const { take, taken } = share();
  const release = await take('a1', 'a', 6);
  const second = take('a2', 'a', 1);
  await take('b1', 'b', 4);
  expect(taken).toEqual(['a1', 'b1']);
  release();
  await second;
  expect(taken).toEqual(['a1', 'b1', 'a2']);
});

test('what is larger than all may be taken while nothing else is, and nothing smaller goes past it', async () => {
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

test('giving back twice gives back once, and who leaves while it waits takes nothing', async () => {
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

test('nobody waits for longer than the patience, and who gives up holds up nobody behind', async () => {
  const memory = new FairShare({ most: 10, mostOfOwner: 10, patienceMs: 50 });
  const release = await memory.take('a', 5, never);
  const large = memory.take('b', 10, never);
  await expect(large).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } });
  await memory.take('c', 5, never);
  release();
});
