import { expect, test } from 'vitest';
import type { JobSpec } from '../../../core/model/job.ts';
import { agentSpec } from '../../../core/protocol/agent-spec.ts';
import { signedText } from '../../../core/protocol/signed-job.ts';
import { makeSpec } from '../cell-fixture.ts';

const signature = { key: 'k', value: 'v', until: null };
const chunking = { chunks: 4, chunkPower: 100, lastChunkPower: 100 };
const run: JobSpec['run'] = {
  process: {
    argv: ['sh', '-c', 'echo "$A" {chunk}'],
    env: { A: 'ä' },
    cwd: null,
    timeoutSeconds: 9,
  },
};

const textOf = (over: Partial<JobSpec>, until: string | null = null) => {
  const spec = makeSpec({ run, signature, ...over });
  return signedText(agentSpec('job', 'h', spec, chunking, 'someone'), until);
};

/** Signatures that were made are over these very bytes. */
test('the text of a job is what the page about signed jobs says', () => {
  expect(textOf({})).toBe(
    'edgewise-job-v1\n{"chunks":4,"inputs":[],"outputs":null,"params":null,"ports":null,' +
      '"ready":null,"resources":{},"restart":null,"run":{"process":{"argv":["sh","-c",' +
      '"echo \\"$A\\" {chunk}"],"cwd":null,"env":{"A":"ä"},"timeoutSeconds":9}},' +
      '"stopGraceSeconds":null,"until":null}',
  );
});

test('what leaves something out and what says its default are the same text', () => {
  const sha256 = 'a'.repeat(64);
  const short = textOf({ inputs: [{ path: 'data', manifest: sha256 }] });
  const long = { path: 'data/', manifest: sha256, writable: false, executable: false };
  expect(textOf({ inputs: [long] })).toBe(short);
  expect(textOf({ inputs: [{ ...long, writable: true }] })).not.toBe(short);
  const elsewhere = { ...long, url: 'https://example.com/data' };
  expect(textOf({ inputs: [elsewhere] })).not.toBe(short);
  const file = { path: 'data', sha256 };
  const packed = textOf({ inputs: [{ ...file, unpack: 'tar.gz' }] });
  expect(packed).not.toBe(textOf({ inputs: [file] }));
});

test('a part of a job that was handed over has the text of the whole', () => {
  const part = { chunkOffsets: { numbers: '1,3', total: 4, job: 'other', path: ['above'] } };
  const spec = makeSpec({ run, signature, ...part });
  const two = agentSpec('part', 'h', spec, { ...chunking, chunks: 2 }, 'someone');
  expect(signedText(two, null)).toBe(textOf({}));
});

test('the order of the names of a matrix counts, since it says which chunk gets what', () => {
  const one = textOf({ params: { matrix: { a: [1, 2], b: [3, 4] } } });
  expect(one).toContain('"params":{"matrix":[["a",[1,2]],["b",[3,4]]]}');
  expect(textOf({ params: { matrix: { b: [3, 4], a: [1, 2] } } })).not.toBe(one);
});
