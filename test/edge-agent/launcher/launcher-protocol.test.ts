import { constants } from 'node:os';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeFromLauncher,
  decodeToLauncher,
  encodeFromLauncher,
  encodeToLauncher,
  type FromLauncher,
  makeFrameReader,
  type ToLauncher,
} from '../../../edge-agent/launcher/launcher-protocol.ts';
import { anyText } from '../../any-text.ts';

/** Texts as they may be in a command: everything but the zero byte that ends a field. */
const word = anyText().map((text) => text.replaceAll('\0', ''));
const words = fc.array(word, { maxLength: 4 });
const name = word.map((text) => `N${text.replaceAll('=', '')}`);
const count = fc.nat(100_000);

const toLauncher: fc.Arbitrary<ToLauncher> = fc.oneof(
  fc.record({
    k: fc.constant('start' as const),
    id: word,
    argv: words,
    wrapper: words,
    env: fc.dictionary(name, word, { noNullPrototype: true }),
    cwd: fc.option(word.filter((text) => text !== '')),
    isMarked: fc.boolean(),
    timeoutMs: fc.option(count),
    killAfterMs: count,
    tailBytes: count,
    errorsApart: fc.boolean(),
    whole: fc.option(fc.record({ name: fc.constant('edge-1_job_0_1'), bytesMax: count })),
    outputOwner: fc.option(fc.record({ uid: count, gid: count })),
    keep: fc.constantFrom('failed' as const, 'all' as const, 'none' as const),
  }),
  fc.record({ k: fc.constantFrom('stop' as const, 'ack' as const), id: word }),
  fc.record({ k: fc.constant('look' as const), id: word, from: fc.integer() }),
  fc.record({ k: fc.constant('serve' as const), socketPath: word, directory: word }),
  fc.constant({ k: 'shutdown' as const }),
);

const printed = fc.uint8Array().map((bytes) => Buffer.from(bytes));

const ends = fc
  .record({
    kept: fc.option(fc.record({ head: printed, tail: printed })),
    printedBytes: count,
  })
  .map(({ kept, printedBytes }) => {
    const { head = null, tail = null } = kept ?? {};
    return { head: head?.length === 0 ? null : head, tail, printedBytes };
  });

const fromLauncher: fc.Arbitrary<FromLauncher> = fc.oneof(
  fc
    .record({
      k: fc.constant('ended' as const),
      id: word,
      code: fc.option(fc.nat(255)),
      signal: fc.option(fc.constantFrom('SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGABRT')),
      error: fc.option(word.filter((text) => text !== '')),
      isTimeout: fc.boolean(),
      isStopped: fc.boolean(),
      durationMs: count,
      output: ends,
      errors: fc.option(ends),
    })
    .map(({ output, ...end }) => ({ ...end, ...output })),
  fc.record({
    k: fc.constant('seen' as const),
    id: word,
    part: fc.option(
      fc.record({
        from: count,
        total: count,
        bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      }),
    ),
  }),
  fc.record({ k: fc.constant('hello' as const), protocol: count, pid: count, held: words }),
);

/** However the stream is cut, and however many frames come in one piece. */
function throughStream<T>(
  frames: readonly Buffer[],
  cut: number,
  decode: (body: Buffer) => T,
): T[] {
  const out: T[] = [];
  const read = makeFrameReader(1024 * 1024, (body) => out.push(decode(body)), expect.unreachable);
  const bytes = Buffer.concat(frames);
  for (let at = 0; at < bytes.length; at += cut) read(bytes.subarray(at, at + cut));
  return out;
}

test('what the agent says arrives as it was said, however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(toLauncher), fc.integer({ min: 1, max: 200 }), (messages, cut) => {
      const frames = messages.map(encodeToLauncher);
      expect(throughStream(frames, cut, decodeToLauncher)).toEqual(messages);
    }),
  );
});

test('what the launcher says arrives as it was said, output byte for byte', () => {
  fc.assert(
    fc.property(fc.array(fromLauncher), fc.integer({ min: 1, max: 200 }), (messages, cut) => {
      const frames = messages.map(encodeFromLauncher);
      expect(throughStream(frames, cut, decodeFromLauncher)).toEqual(messages);
    }),
  );
});

test('a frame that is longer than any of ours ends the connection', () => {
  const lines = Buffer.from('{"k":"hello","protocol":2}\n');
  let isOver = false;
  const read = makeFrameReader(
    1024 * 1024,
    () => expect.unreachable(),
    () => {
      isOver = true;
    },
  );
  read(lines);
  expect(isOver).toBe(true);
});

test('every signal has a name', () => {
  for (const number of new Set(Object.values(constants.signals))) {
    const end = {
      id: 'a',
      code: null,
      error: null,
      isTimeout: false,
      isStopped: false,
      head: null,
      tail: null,
      printedBytes: 0,
      errors: null,
    };
    const frame = encodeFromLauncher({ k: 'ended', ...end, signal: 'SIGKILL', durationMs: 1 });
    const text = frame.subarray(4).toString('latin1').replace('\x009\0', `\0${number}\0`);
    const decoded = decodeFromLauncher(Buffer.from(text, 'latin1'));
    const { signal } = decoded as FromLauncher & { k: 'ended' };
    expect(constants.signals[signal as NodeJS.Signals]).toBe(number);
  }
});
