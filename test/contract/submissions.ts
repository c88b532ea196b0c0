import { expect, test } from 'vitest';
import { jobIdOf, makeJobId } from '../../core/model/names.ts';
import type { Submission } from '../../core/model/submission.ts';
import { startMs } from '../core/cell-fixture.ts';
import { auditOf } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const submission: Submission = {
  id: makeJobId(startMs, new Uint8Array(9)),
  name: 'weather',
  pool: 'north',
  queue: 'default',
  createdAtMs: startMs,
  createdBy: 'token:a',
  text: 'version: 1 # as it was sent\n',
  cluster: 'blue',
  placing: {
    to: { kind: 'cluster', edge: 'blue', executor: 'slurm' },
    chosen: new Map([['/tasks/0/resources', 'cpu']]),
  },
  decision: { algorithm: 'first' },
  jobs: [{ unit: 'a', id: jobIdOf('job-a'), after: ['b'] }],
  asked: { clusters: null, select: { algorithm: 'freest' }, together: 'host' },
  staged: { data: { sha256: 'ab' } },
  labels: { constructor: 'of-it', team: 'storms' },
  impossible: [],
  isOpen: true,
  waits: false,
  lookedAtMs: startMs,
  cancelledAtMs: null,
  version: 1,
};
const later = (at: number): Submission => ({
  ...submission,
  id: makeJobId(startMs + at, new Uint8Array(9).fill(at)),
  createdAtMs: startMs + at,
  lookedAtMs: startMs + at,
});
const request = { owner: 'token:a', key: 'once', digest: 'first' };
const kept = { request, answer: { status: 202, headers: {}, body: 'sealed' }, atMs: startMs };

/** What every store promises of submissions: whole, one for one request, and found while open. */
export const submissionsContract: Contract = (makeStores) => {
  test('what is stored is read as it was', async () => {
    const { submissions } = await makeStores();
    expect(await submissions.find(submission.id)).toBeNull();
    expect(await submissions.create(submission, null, auditOf('x'))).toBe('created');
    expect(await submissions.find(submission.id)).toEqual(submission);
    const hostOf = new Map([['constructor', 'edge-1']]);
    const onHosts: Submission = {
      ...later(1),
      name: null,
      cluster: null,
      placing: { to: { kind: 'hosts', hostOf }, chosen: new Map() },
      decision: null,
      impossible: ['a'],
      isOpen: false,
      cancelledAtMs: startMs + 5,
    };
    await submissions.create(onHosts, null, auditOf('x'));
    expect(await submissions.find(onHosts.id)).toEqual(onHosts);
  });

  test('an id is taken once, and a request is answered once', async () => {
    const { submissions, idempotency } = await makeStores();
    expect(await submissions.create(submission, kept, auditOf('x'))).toBe('created');
    expect(await idempotency.find(request)).toMatchObject({ answer: kept.answer });
    expect(await submissions.create(later(1), kept, auditOf('x'))).toBe('key-taken');
    expect(await submissions.find(later(1).id)).toBeNull();
    const other = { ...submission, text: 'other' };
    expect(await submissions.create(other, null, auditOf('x'))).toBe('id-taken');
    expect(await submissions.find(submission.id)).toEqual(submission);
  });

  test('of two that change it one does', async () => {
    const { submissions } = await makeStores();
    await submissions.create(submission, null, auditOf('x'));
    const next = { ...submission, isOpen: false, version: 2 };
    const saved = [next, { ...next, cancelledAtMs: 7 }].map((it) => submissions.save(it, 1));
    expect((await Promise.all(saved)).toSorted()).toEqual([false, true]);
    expect(await submissions.find(submission.id)).toMatchObject({ version: 2, isOpen: false });
  });

  test('those that wait are found by when they were looked at, and are not open ones', async () => {
    const { submissions } = await makeStores();
    const waiting = [1, 2, 3].map((at) => ({ ...later(at), cluster: null, waits: true }));
    for (const it of waiting) await submissions.create(it, null, auditOf('x'));
    const ids = waiting.map(({ id }) => id);
    expect(await submissions.listOpen(10)).toEqual([]);
    expect(await submissions.listWaiting(10)).toEqual(ids);
    expect(await submissions.find(ids[0]!)).toEqual(waiting[0]);
    const looked = { ...waiting[0]!, lookedAtMs: startMs + 60_000, version: 2 };
    expect(await submissions.save(looked, 1)).toBe(true);
    expect(await submissions.listWaiting(2)).toEqual(ids.slice(1));
    await submissions.save({ ...waiting[1]!, waits: false, version: 2 }, 1);
    await submissions.save({ ...waiting[2]!, waits: false, isOpen: false, version: 2 }, 1);
    expect(await submissions.listWaiting(10)).toEqual(ids.slice(0, 1));
    expect(await submissions.listOpen(10)).toEqual(ids.slice(1, 2));
  });

  test('open ones are found, the oldest first, until they are no longer open', async () => {
    const { submissions } = await makeStores();
    const [a, b] = [later(1), later(2)];
    for (const it of [b, a, { ...later(3), isOpen: false }]) {
      await submissions.create(it, null, auditOf('x'));
    }
    expect(await submissions.listOpen(10)).toEqual([a.id, b.id]);
    expect(await submissions.listOpen(1)).toEqual([a.id]);
    await submissions.save({ ...a, isOpen: false, version: 2 }, 1);
    expect(await submissions.listOpen(10)).toEqual([b.id]);
    await submissions.save({ ...a, version: 3 }, 2);
    expect(await submissions.listOpen(10)).toEqual([a.id, b.id]);
    await submissions.remove(a.id);
    expect(await submissions.listOpen(10)).toEqual([b.id]);
    expect(await submissions.find(a.id)).toBeNull();
  });

  test('those of a pool are listed by pages, the newest first', async () => {
    const { submissions } = await makeStores();
    const some = [1, 2, 3, 4, 5].map(later);
    for (const it of some) await submissions.create(it, null, auditOf('x'));
    await submissions.create({ ...later(6), pool: 'south' }, null, auditOf('x'));
    const first = await submissions.list('north', null, 2);
    const rest = await submissions.list('north', first[1]!.position, 10);
    const ids = [...first, ...rest].map(({ id }) => id);
    expect(ids).toEqual(some.map(({ id }) => id).reverse());
  });
};
