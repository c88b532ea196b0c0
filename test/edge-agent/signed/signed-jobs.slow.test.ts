import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentStage } from '../agent-stage.ts';
import { makeSigner, specOf } from './signed-job.ts';

/** An edge whose owner trusts one key, and a control plane that somebody has stolen. */
let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
const owner = makeSigner();
const stranger = makeSigner();

beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
  const policyFile = join(stage.path, 'policy.json');
  writeFileSync(policyFile, JSON.stringify({ signers: { owner: owner.publicKey } }));
  stage.start({ policyFile });
});
afterEach(() => stage.close());

const written = {
  chunks: 4,
  run: { process: { argv: ['sh', '-c', 'echo "$WHAT" {chunk}'], env: { WHAT: 'signed' } } },
  keepOutput: 'all',
};

function give(id: string, spec: Record<string, unknown>, chunks = '0-3'): void {
  controlPlane.addJob(id, { ...spec, id });
  controlPlane.grant('edge-1', id, chunks, 4);
}

const done = (id: string, chunks: number) =>
  controlPlane.until(() => controlPlane.jobs.get(id)!.done.size === chunks, `${id} is done`);

async function refusalOf(id: string): Promise<string> {
  const { refusals, done: ended, failed } = controlPlane.jobs.get(id)!;
  await controlPlane.until(() => refusals.has('edge-1'), `${id} is refused`);
  expect([ended.size, failed.size]).toEqual([0, 0]);
  return refusals.get('edge-1')!;
}

test('what the owner signed is run, and its parameters come from what was signed', async () => {
  give('plain', specOf(owner.sign(written)));
  await done('plain', 4);
  await controlPlane.until(() => controlPlane.outputs.size === 4, 'its output');
  expect(controlPlane.outputs.get('plain/3')).toBe('signed 3\n');
  const sweep = {
    chunks: 4,
    run: { process: { argv: ['echo', '{lr}/{seed}'] } },
    params: { matrix: { lr: [1, 2], seed: ['a', 'b'] } },
    keepOutput: 'all',
  };
  give('sweep', specOf(owner.sign(sweep)));
  await done('sweep', 4);
  await controlPlane.until(() => controlPlane.outputs.has('sweep/2'), 'the output of chunk 2');
  expect(controlPlane.outputs.get('sweep/2')).toBe('2/a\n');
  expect(controlPlane.requests.filter((line) => line.includes('params'))).toEqual([]);
});

test('each thing that it changes, makes up or borrows is refused with a reason, and runs nothing', async () => {
  const signed = specOf(owner.sign(written));
  const { process } = signed.run as { process: object };
  const changed = 'not allowed here: the job is not as it was signed';
  const expected = new Map([
    ['unsigned', 'not allowed here: the job is not signed'],
    ['foreign', 'not allowed here: the job is signed with a key that is not trusted here'],
    ['argv', changed],
    ['env', changed],
    ['cwd', changed],
    ['image', changed],
    ['inputs', changed],
    ['outputs', changed],
    ['resources', changed],
    ['chunks', changed],
    ['params', 'not allowed here: the parameters of its chunks are not signed'],
    ['beyond', 'not allowed here: the job has no chunks of these numbers'],
  ]);
  give('unsigned', { ...signed, signature: undefined });
  give('foreign', specOf(stranger.sign(written)));
  give('argv', { ...signed, run: { process: { ...process, argv: ['sh', '-c', 'id'] } } });
  give('env', { ...signed, run: { process: { ...process, env: { LD_PRELOAD: '/tmp/x' } } } });
  give('cwd', { ...signed, run: { process: { ...process, cwd: '/' } } });
  const { run: box } = specOf({ run: { container: { image: 'alpine' } } });
  give('image', { ...specOf(owner.sign({ run: { process: { argv: ['x'] } } })), run: box }, '0');
  give('inputs', { ...signed, inputs: [{ path: 'sh', sha256: 'e'.repeat(64), executable: true }] });
  give('outputs', { ...signed, outputs: { paths: ['**'], on: 'always', maxMb: 1 } });
  give('resources', { ...signed, resources: { memoryMb: 1 } });
  give('chunks', { ...signed, chunks: 400 });
  give('params', { ...signed, sweep: true });
  give('beyond', signed, '3-4');
  for (const [id, words] of expected) {
    // Which executors a host has is not the matter here.
    if (id === 'image') expect(await refusalOf(id)).not.toBe('');
    else expect([id, await refusalOf(id)]).toEqual([id, words]);
  }
});

test('what has ended starts no more', async () => {
  give('ended', specOf(owner.sign(written, '2020-01-01T00:00:00Z')));
  expect(await refusalOf('ended')).toMatch(/^signature-ended: .* 2020-01-01T00:00:00Z$/);
});
