import { expect, test } from 'vitest';
import { type CellJob, type EdgeWork, noEdgeWork } from '../../../core/model/cell.ts';
import { inlineSpecBytesMax, workBytesMax } from '../../../core/model/limits.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import { encodeWork, keepInlineSpecs, parseWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { parseInlineSpec } from '../../../edge-agent/disk/spec-store.ts';
import { type JobOptions, makeJob } from '../cell-fixture.ts';

/** An edge that was just given four chunks of each of these jobs. */
function given(jobs: readonly CellJob[], grantedAtMs = 1_000): EdgeWork {
  const lease = {
    ranges: rangeOf(0, 4),
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots: 2,
    running: emptyRanges,
    grantedAtMs,
    startedAtMs: grantedAtMs,
    chunkMs: null,
    heldBefore: emptyRanges,
    doneHere: emptyRanges,
    deadHere: emptyRanges,
  };
  const leases = new Map(jobs.map((job) => [job.id, lease]));
  return { ...noEdgeWork, epoch: 7, writtenAtMs: 1_000, leases };
}

function written(jobs: readonly CellJob[], work = given(jobs)) {
  return parseWork(encodeWork(workOf(work, new Map(jobs.map((job) => [job.id, job])))))!;
}

const inlineOf = (options: JobOptions) => {
  const job = makeJob('job', options);
  return written([job]).jobs.get(job.id)!.inlineSpec;
};

test('a small spec travels with the work, and says what the API would', () => {
  const job = makeJob('job', { name: 'Füllstand', run: { simulate: { seconds: 1 } } });
  const { inlineSpec, specHash } = written([job]).jobs.get(job.id)!;
  expect(parseInlineSpec(job.id, specHash, inlineSpec!)).toEqual({
    id: job.id,
    hash: specHash,
    name: 'Füllstand',
    createdBy: 'someone',
    ...job.intent.chunking,
    run: { simulate: { seconds: 1 } },
    resources: job.intent.spec.resources,
    keepOutput: 'failed',
    offlineSeconds: null,
  });
});

test('what an edge keeps of failed attempts travels too, when the job wants any', () => {
  const job = makeJob('job', {});
  const spec = { ...job.intent.spec, keepDirectory: 'failed' as const };
  const wanting = { ...job, intent: { ...job.intent, spec } };
  const { inlineSpec, specHash } = written([wanting]).jobs.get(job.id)!;
  expect(parseInlineSpec(job.id, specHash, inlineSpec!)?.keepDirectory).toBe('failed');
});

test('only in the document that gives the work: whoever misses it asks by the hash', () => {
  const job = makeJob('job', {});
  expect(written([job], given([job], 999)).jobs.get(job.id)!.inlineSpec).toBeNull();
});

test('a large one does not, nor one with an environment, nor one whose author is not known', () => {
  const run = (argv: string, env: Record<string, string>): JobOptions => ({
    run: { process: { argv: ['echo', argv], env, cwd: null, timeoutSeconds: null } },
  });
  expect(inlineOf(run('short', {}))).not.toBeNull();
  expect(inlineOf(run('x'.repeat(inlineSpecBytesMax), {}))).toBeNull();
  expect(inlineOf(run('ü'.repeat(inlineSpecBytesMax / 2), {}))).toBeNull();
  expect(inlineOf(run('short', { TOKEN: 'secret' }))).toBeNull();
  expect(inlineOf({ intent: { createdBy: null } })).toBeNull();
});

test('specs take only what room the work leaves in the document', () => {
  const name = 'n'.repeat(120);
  const jobs = Array.from({ length: 40 }, (_, at) => makeJob(`job-${at}`, { name }));
  const work = given(jobs);
  const document = encodeWork(workOf(work, new Map(jobs.map((job) => [job.id, job]))));
  const inline = Object.values(document.w).filter((entry) => entry?.j != null);
  expect(inline.length).toBeGreaterThan(2);
  expect(inline.length).toBeLessThan(jobs.length);
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThanOrEqual(workBytesMax);
});

test('the inputs of a job travel with its spec', () => {
  const inputs = [{ path: 'a', sha256: 'a'.repeat(64) }];
  const job = makeJob('job', {});
  const intent = { ...job.intent, spec: { ...job.intent.spec, inputs } };
  const { specHash, inlineSpec } = written([{ ...job, intent }]).jobs.get(job.id)!;
  expect(parseInlineSpec(job.id, specHash, inlineSpec!)?.inputs).toEqual(inputs);
  const escaping = JSON.stringify({ ...JSON.parse(inlineSpec!), inputs: [{ path: '../a' }] });
  expect(parseInlineSpec(job.id, specHash, escaping)).toBeNull();
});

test('what one document brought is kept while the next one names the same spec', () => {
  const job = makeJob('job', {});
  const first = written([job]);
  const next = written([job], { ...given([job], 999), epoch: 8 });
  const kept = keepInlineSpecs(first, next);
  expect(kept.epoch).toBe(8);
  expect(kept.jobs.get(job.id)!.inlineSpec).toBe(first.jobs.get(job.id)!.inlineSpec);
  expect(parseWork(encodeWork(kept))).toEqual(kept);
  const edited = { ...job, intent: { ...job.intent, specHash: 'another' } };
  const other = written([edited], { ...given([job], 999), epoch: 8 });
  expect(keepInlineSpecs(first, other)).toBe(other);
});

test('nor a pod with an environment in any of its containers', () => {
  const of = (name: string, env: Record<string, string>) => ({ name, image: 'a', argv: [], env });
  const pod = (env: Record<string, string>) => ({
    pod: { containers: [of('web', {}), of('log', env)], timeoutSeconds: null },
  });
  expect(inlineOf({ run: pod({}) })).not.toBeNull();
  expect(inlineOf({ run: pod({ TOKEN: 'secret' }) })).toBeNull();
});
