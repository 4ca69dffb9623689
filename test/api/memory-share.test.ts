/** Memory is shared by owners, in the order in which it is asked for. */
import { MemoryShare } from '../../apps/api/memory-share.ts';

const never = new AbortController().signal;

/** A share of 10, 6 for an owner, and who has taken of it so far. */
function share() {
  const memory = new MemoryShare({ most: 10, mostOfOwner: 6 });
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
  const more = take('d1', 'd', 1);
  await settled();
  expect(taken).toEqual(['a1', 'b1', 'c1']);
  void more;
  await expect(take('e1', 'e', 1, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before');
});
