import { event, toText } from '../../../apps/api/live/event-stream.ts';

test('a silent stream sends heartbeat comments and ends with its event generator', async () => {
  let release: (() => void) | undefined;
  let ended = false;
  async function* events() {
    try {
      yield event('1', { event: 'ready' });
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    } finally {
      ended = true;
    }
  }
  const seen: string[] = [];
  for await (const text of toText(events(), 5)) {
    seen.push(text);
    if (seen.filter((line) => line === ': heartbeat\n\n').length === 2) release?.();
  }
  expect(seen.slice(0, 4)).toEqual([
    ': open\n\n',
    'event: ready\nid: 1\ndata: {}\n\n',
    ': heartbeat\n\n',
    ': heartbeat\n\n',
  ]);
  expect(ended).toBe(true);
});
