import { describe, expect, test } from 'vitest';
import { parseRanges } from '../../../core/model/ranges.ts';
import { type CoveredField, coveredFields } from '../../../core/protocol/signed-job.ts';
import { parseAgentSpec } from '../../../edge-agent/disk/spec-store.ts';
import { parseSigners } from '../../../edge-agent/host/job-signature.ts';
import { makeSigner, specOf } from '../signed/signed-job.ts';

const signer = makeSigner();
const signers = parseSigners({ alice: signer.publicKey });
const digest = (letter: string): string => letter.repeat(64);

function judge(spec: Record<string, unknown>, chunks = '0', trusted = signers): string | null {
  const parsed = parseAgentSpec(spec);
  if (parsed === null) return 'not understood';
  return trusted.refusalOf(parsed, parseRanges(chunks)!);
}

const batch = {
  name: 'render',
  chunks: 3,
  chunkPower: 20,
  resources: { memory: 512 },
  run: { process: { argv: ['render', '{chunk}'], env: { QUALITY: 'high' } } },
  inputs: [{ path: 'scene/', manifest: digest('a') }],
  outputs: { paths: ['out/**'] },
};
const sweep = { run: { process: { argv: ['train', '{lr}'] } }, params: { items: [{ lr: 1 }] } };
const service = {
  kind: 'service',
  chunks: 2,
  run: { process: { argv: ['serve'] } },
  ports: [{ name: 'http' }],
  ready: { exec: { argv: ['probe'] } },
};

const signedBatch = specOf(signer.sign(batch));
const signedSweep = specOf(signer.sign(sweep));
const signedService = specOf(signer.sign(service));

test.each([
  ['batch', signedBatch],
  ['sweep', signedSweep],
  ['service', signedService],
])('a %s that was signed runs as the control plane filled it in', (_, spec) => {
  expect(judge(spec)).toBeNull();
});

test('what the user does not have to sign may be anything', () => {
  const others = { name: 'other', createdBy: 'mallory', chunkPower: 1, keepOutput: 'all' };
  expect(judge({ ...signedBatch, ...others, id: 'other', hash: 'h2' })).toBeNull();
});

describe('a control plane that changes a field', () => {
  const run = (body: object) => ({ run: { process: body } });
  const { process } = signedBatch.run as { process: object };
  const changes: Record<CoveredField, readonly [Record<string, unknown>, object][]> = {
    run: [
      [signedBatch, run({ ...process, argv: ['rm', '-rf', '/'] })],
      [signedBatch, run({ ...process, env: { QUALITY: 'high', LD_PRELOAD: '/tmp/x.so' } })],
      [signedBatch, run({ ...process, env: { QUALITY: 'high', LD_PRELOAD: null } })],
      [signedBatch, run({ ...process, cwd: '/etc' })],
      [signedBatch, run({ ...process, timeoutSeconds: 1 })],
      [signedBatch, { run: { container: { image: 'evil', argv: [], env: {} } } }],
    ],
    resources: [[signedBatch, { resources: { memory: 9 } }]],
    inputs: [
      [signedBatch, { inputs: [{ path: 'scene', manifest: digest('b') }] }],
      [signedBatch, { inputs: undefined }],
      [signedService, { inputs: [{ path: 'serve', sha256: digest('b'), executable: true }] }],
    ],
    outputs: [[signedBatch, { outputs: { paths: ['**'], on: 'done', maxMb: 100 } }]],
    params: [
      [signedSweep, { params: { items: [{ lr: '; reboot' }] } }],
      [signedSweep, { params: undefined }],
      [signedSweep, { sweep: undefined }],
      [signedSweep, { chunkOffsets: { numbers: '0' } }],
      [signedBatch, { sweep: true }],
      [signedBatch, { sweep: true, params: { items: [{ lr: 1 }] } }],
    ],
    chunks: [
      [signedBatch, { chunks: 4 }],
      [signedBatch, { chunkOffsets: { numbers: '0-2', total: 4 } }],
      [signedBatch, { chunkOffsets: { numbers: '1-3' } }],
      [signedBatch, { chunkOffsets: { numbers: '0-2', job: '$(reboot)' } }],
    ],
    restart: [[signedBatch, { restart: { policy: 'always' } }]],
    ready: [[signedService, { ready: { exec: { argv: ['evil'] } } }]],
    ports: [[signedService, { ports: [{ name: 'http', port: 22 }] }]],
    stopGraceSeconds: [[signedService, { stopGraceSeconds: 1 }]],
  };

  test('has every field that a signature covers here', () => {
    expect(Object.keys(changes).sort()).toEqual([...coveredFields].sort());
  });

  test.each(
    Object.entries(changes).flatMap(([field, all]) =>
      all.map(([spec, change], at) => [field, at, spec, change] as const),
    ),
  )('%s (%i) has it refused', (_field, _at, spec, change) => {
    expect(judge({ ...spec, ...change })).not.toBeNull();
  });
});

test('one bit of the signature, another end, another key: each is refused in words', () => {
  const signature = signedBatch.signature as { key: string; value: string; until: null };
  const flipped = Buffer.from(signature.value, 'base64url');
  flipped[5]! ^= 1;
  const value = flipped.toString('base64url');
  const changed = 'the job is not as it was signed';
  expect(judge({ ...signedBatch, signature: { ...signature, value } })).toBe(changed);
  const until = '2099-01-01T00:00:00Z';
  expect(judge({ ...signedBatch, signature: { ...signature, until } })).toBe(changed);
  expect(judge({ ...signedBatch, signature: undefined })).toBe('the job is not signed');
  const mallory = specOf(makeSigner().sign(batch));
  expect(judge(mallory)).toBe('the job is signed with a key that is not trusted here');
  const borrowed = { ...(mallory.signature as object), key: signer.publicKey };
  expect(judge({ ...mallory, signature: borrowed })).toBe(changed);
});

test('chunks beyond those that were signed are refused, and a service has as many as wanted', () => {
  expect(judge(signedBatch, '0-2')).toBeNull();
  expect(judge(signedBatch, '0,3')).toBe('the job has no chunks of these numbers');
  expect(judge(signedService, '0-90')).toBeNull();
  const part = { chunks: 1, chunkOffsets: { numbers: '2', total: 3, job: 'other' } };
  expect(judge({ ...signedBatch, ...part }, '0')).toBeNull();
  expect(judge({ ...signedBatch, ...part }, '1')).toBe('the job has no chunks of these numbers');
});

test('after its end nothing is started, and only the end that was signed counts', () => {
  const until = '2026-02-01T00:00:00Z';
  const spec = parseAgentSpec(specOf(signer.sign(batch, until)))!;
  expect(signers.refusalOf(spec, parseRanges('0')!)).toBeNull();
  expect(signers.obstacleOf(spec, Date.parse(until) - 1)).toBeNull();
  expect(signers.obstacleOf(spec, Date.parse(until))).toMatch(/good until 2026-02-01/);
  const unclear = { ...spec, signature: { ...spec.signature!, until: 'soon' } };
  expect(signers.obstacleOf(unclear, 0)).toMatch(/signature-ended/);
});

test('without any signer everything is refused: the list is there', () => {
  expect(judge(signedBatch, '0', parseSigners({}))).toMatch(/not trusted here/);
});

test.each([
  [[], 'not an object'],
  [{ alice: 'c2hvcnQ' }, '"signers.alice" is no public key'],
  [{ alice: 3 }, '"signers.alice" is no public key'],
])('%j names no signers', (named, words) => {
  expect(() => parseSigners(named)).toThrow(words);
});
