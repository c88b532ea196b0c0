import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sinkOn } from '../../../../lambdas/api/events/event-sink.ts';

const never = () => new Promise<void>(() => {});
const withHead = (stream: PassThrough, head: object): PassThrough => {
  stream.write(`${JSON.stringify(head)}|`);
  return stream;
};

function sinkOver(stream: PassThrough, pause: (ms: number) => Promise<void> = never) {
  const sink = sinkOn(stream, (it, head) => withHead(it as PassThrough, head), pause);
  sink.begin(200, { a: 'b' });
  return sink;
}

test('what is written comes behind status and headers', async () => {
  const stream = new PassThrough();
  const sink = sinkOver(stream);
  expect(await sink.write('one')).toBe(true);
  sink.end();
  expect(String(stream.read())).toBe('{"statusCode":200,"headers":{"a":"b"}}|one');
});

test('nothing is written before there is room for it', async () => {
  const stream = new PassThrough({ highWaterMark: 64 });
  const sink = sinkOver(stream);
  const writing = sink.write('x'.repeat(100));
  let isWritten = false;
  void writing.then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBe(false);
  stream.resume();
  expect(await writing).toBe(true);
});

test('a reader that takes nothing is left', async () => {
  const stream = new PassThrough({ highWaterMark: 64 });
  const sink = sinkOver(stream, async () => undefined);
  expect(await sink.write('x'.repeat(100))).toBe(false);
  sink.end();
  expect(stream.destroyed).toBe(true);
});

test('nothing is written for who has gone', async () => {
  const stream = new PassThrough();
  const sink = sinkOver(stream);
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
  expect(await sink.write('one')).toBe(false);
  sink.end();
});
