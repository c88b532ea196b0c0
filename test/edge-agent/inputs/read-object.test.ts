import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { askStore } from '../../../edge-agent/inputs/ask-store.ts';
import {
  type ObjectRead,
  ObjectReplaced,
  readObject,
  StoreRefusal,
} from '../../../edge-agent/inputs/read-object.ts';
import { rangeAsksMax, rangeBytes, rangesAtOnce } from '../../../edge-agent/limits.ts';
import { waitUntil } from '../../wait-until.ts';
import { type Misbehaviour, type RangedStore, startRangedStore } from './ranged-store.ts';

let store: RangedStore | undefined;
let read: ObjectRead | undefined;
afterEach(async () => {
  read?.close();
  await store?.close();
  [store, read] = [undefined, undefined];
});

const ranges = 6;
const content = randomBytes(ranges * rangeBytes - 12_345);
const { signal } = new AbortController();

async function open(
  how: Misbehaviour = {},
  more: Partial<Parameters<typeof readObject>[0]> = {},
  bytes = content,
): Promise<ObjectRead> {
  store = await startRangedStore(() => bytes, how);
  const { url } = store;
  read = await readObject({
    ask: (asked) => askStore(url, asked),
    start: 0,
    signal,
    moved: () => {},
    ...more,
  });
  return read;
}

/** What came, and why no more did. */
async function taken({ pieces }: ObjectRead): Promise<{ bytes: Buffer; error: unknown }> {
  const came: Buffer[] = [];
  try {
    for await (const piece of pieces) came.push(Buffer.from(piece));
    return { bytes: Buffer.concat(came), error: null };
  } catch (error) {
    return { bytes: Buffer.concat(came), error };
  }
}

const startsOf = (): number[] => store!.asked.map(({ start }) => start);
const inOrder = (starts: readonly number[]) => starts.toSorted((a, b) => a - b);
const every = (from: number): number[] =>
  Array.from({ length: ranges }, (_, at) => from + at * rangeBytes).filter(
    (at) => at < content.length,
  );

test.each([0, 1, rangeBytes, content.length - 1])(
  'from byte %i it comes in order, each byte once, and of one and the same object',
  async (start) => {
    const { bytes, start: from, ...rest } = await open({}, { start });
    expect([from, bytes]).toEqual([start, content.length - start]);
    const came = await taken({ start, bytes, ...rest });
    expect(came.error).toBeNull();
    expect(came.bytes.equals(content.subarray(start))).toBe(true);
    expect(inOrder(startsOf())).toEqual(every(start));
    expect(store!.asked.slice(1).every(({ ifMatch }) => ifMatch === '"one"')).toBe(true);
  },
);

test('nobody waits for what is beyond its end, nor for what an empty one has', async () => {
  const beyond = await open({}, { start: content.length });
  expect([beyond.start, beyond.bytes]).toEqual([content.length, 0]);
  expect((await taken(beyond)).bytes).toHaveLength(0);
  await store!.close();
  expect(await taken(await open({}, {}, Buffer.alloc(0)))).toMatchObject({ error: null });
});

test('a small one is one request', async () => {
  const small = content.subarray(0, rangeBytes);
  expect((await taken(await open({}, {}, small))).bytes.equals(small)).toBe(true);
  expect(store!.asked).toHaveLength(1);
});

test('what comes ahead of its turn is bounded, and who takes nothing asks for no more', async () => {
  const { pieces } = await open();
  const reading = pieces[Symbol.asyncIterator]();
  const { value } = await reading.next();
  expect(Buffer.from(value).equals(content.subarray(0, value.length))).toBe(true);
  await waitUntil(() => store!.underWay() === 0);
  expect(startsOf()).toHaveLength(rangesAtOnce);
});

test('a store that knows no ranges sends all of it, from its beginning', async () => {
  const whole = await open({ ranges: 'all' }, { start: 2 * rangeBytes });
  expect([whole.start, whole.bytes]).toEqual([0, content.length]);
  expect((await taken(whole)).bytes.equals(content)).toBe(true);
  expect(store!.asked).toHaveLength(1);
});

test.each([0, 5_000_000])('who need not know ranges is asked once, from byte %i', async (start) => {
  const came = await taken(await open({}, { start, isWhole: true }));
  expect(came.bytes.equals(content.subarray(start))).toBe(true);
  expect(store!.asked).toEqual([{ start, end: content.length - 1, ifMatch: '' }]);
});

test('another part than was asked for is none of it', async () => {
  await expect(open({ ranges: 'other' })).rejects.toThrow('another part');
});

test('a range that breaks off is asked for again from where it stood, and no other is', async () => {
  const broken = 2 * rangeBytes;
  const at = (start: number) => (start === broken ? 1_000_000 : null);
  const came = await taken(await open({ at }));
  expect(came.error).toBeNull();
  expect(came.bytes.equals(content)).toBe(true);
  const again = startsOf().filter((start) => start % rangeBytes !== 0);
  expect(again).toHaveLength(1);
  expect(again[0]).toBeGreaterThan(broken);
  expect(again[0]).toBeLessThanOrEqual(broken + 1_000_000);
});

test.each(['refused', 0] as const)(
  'one that does not move ends it, after all that is before it (%s)',
  async (end) => {
    const broken = 3 * rangeBytes;
    const came = await taken(await open({ at: (start) => (start === broken ? end : null) }));
    expect(came.bytes.equals(content.subarray(0, broken))).toBe(true);
    if (end === 'refused') expect(came.error).toMatchObject({ status: 503 });
    expect(came.error).toBeInstanceOf(end === 'refused' ? StoreRefusal : Error);
    expect(startsOf().filter((start) => start === broken)).toHaveLength(1);
  },
);

test('one that breaks off again and again ends it, and what it brought is kept', async () => {
  const came = await taken(await open({ at: () => 100_000 }));
  expect(came.error).toBeInstanceOf(Error);
  expect(came.bytes.length).toBeGreaterThan(0);
  expect(came.bytes.equals(content.subarray(0, came.bytes.length))).toBe(true);
  const ofFirst = startsOf().filter((start) => start < rangeBytes);
  expect(ofFirst).toHaveLength(rangeAsksMax);
});

test('an object that is replaced in the middle is not gone on with', async () => {
  const how: Misbehaviour = {};
  how.at = (start) => {
    if (start === rangeBytes) how.tag = '"two"';
    return null;
  };
  const came = await taken(await open(how));
  expect(came.error).toBeInstanceOf(ObjectReplaced);
  expect(came.bytes.equals(content.subarray(0, came.bytes.length))).toBe(true);
});

test('without a tag another length tells', async () => {
  let bytes = content;
  store = await startRangedStore(() => bytes, { tag: 'W/"weak"' });
  const { url } = store;
  read = await readObject({
    ask: (asked) => askStore(url, asked),
    start: 0,
    signal,
    moved: () => {},
  });
  bytes = content.subarray(1);
  expect((await taken(read)).error).toBeInstanceOf(ObjectReplaced);
  expect(store.asked.every(({ ifMatch }) => ifMatch === '')).toBe(true);
});

test('who closes it ends all that is under way', async () => {
  const { pieces, close } = await open({ at: (start) => (start === 0 ? null : 'held') });
  const reading = pieces[Symbol.asyncIterator]();
  await reading.next();
  await waitUntil(() => store!.asked.length === rangesAtOnce);
  close();
  await waitUntil(() => store!.underWay() === 0);
  expect(store!.asked).toHaveLength(rangesAtOnce);
});

test('whatever comes counts as a move, also ahead of its turn', async () => {
  let moves = 0;
  const at = (start: number) => (start === 0 ? ('held' as const) : null);
  store = await startRangedStore(() => content, { at });
  const { url } = store;
  const moved = () => {
    moves += 1;
  };
  read = await readObject({ ask: (asked) => askStore(url, asked), start: 0, signal, moved });
  void taken(read);
  await waitUntil(() => store!.underWay() === 1 && startsOf().length === rangesAtOnce);
  expect(moves).toBeGreaterThan(rangesAtOnce - 2);
});
