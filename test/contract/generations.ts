import { expect, test } from 'vitest';
import type { JobEdit } from '../../core/jobs/edit.ts';
import { removeInstance, stopInstance } from '../../core/jobs/stop-instance.ts';
import {
  restartService,
  rollbackService,
  type ServiceRestart,
  type ServiceUpdate,
  updateService,
} from '../../core/jobs/update-service.ts';
import { jobIdOf } from '../../core/model/names.ts';
import { parseRanges } from '../../core/model/ranges.ts';
import { generationsKept } from '../../core/services/limits.ts';
import { startMs } from '../core/cell-fixture.ts';
import { creation, makeMeta } from '../core/jobs/job-fixture.ts';
import { auditOf, north, traceOf } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const web = jobIdOf('web');
const run = (version: number) => ({
  container: { image: `web:${version}`, argv: [], env: {}, timeoutSeconds: null },
});
const service = {
  kind: 'service' as const,
  chunks: 2,
  run: run(1),
};

async function around(stores: Stores, nowMs = startMs) {
  const found = (await stores.jobs.find(web))!;
  const cells = await stores.changes.cellsOf(found.job);
  const kept = await stores.jobs.generations(web);
  const hash = (text: string) => `${text.length}-${text.indexOf('web:')}`;
  return { found, around: { cells, kept, by: 'token:ci', nowMs, hash } };
}

async function update(stores: Stores, version: number): Promise<ServiceUpdate> {
  const { found, around: it } = await around(stores, startMs + version);
  const change = updateService(found, { ...found.job.spec, run: run(version) }, it);
  expect(change.kind).toBe('update');
  return change as ServiceUpdate;
}

const intentIn = async (stores: Stores) => (await stores.cells.load(north))?.jobs.get(web)?.intent;

/** What every store promises of the generations of a service. */
export const generationsContract: Contract = (makeStores) => {
  const makeService = async () => {
    const stores = await makeStores();
    await stores.pools.ensureCell('default', 0, startMs);
    const plain = creation(service, { metas: [makeMeta(north)] });
    const made = {
      ...plain,
      job: { ...plain.job, id: web },
      status: { ...plain.status, job: web },
    };
    await stores.changes.create(made, null, auditOf(web));
    return { stores, made };
  };

  test('an update is in the spec, in what cells know and in what is kept, or nowhere', async () => {
    const { stores, made } = await makeService();
    expect(await stores.jobs.generations(web)).toEqual([]);
    const change = await update(stores, 2);
    const late = await update(stores, 3);
    expect(await stores.changes.commit(change, traceOf(web))).toBe('changed');
    expect(await stores.changes.commit(late, traceOf(web))).toBe('conflict');
    const { job } = (await stores.jobs.find(web))!;
    const { spec, specHash } = change;
    expect(job).toEqual({ ...made.job, spec, specHash, generation: 2, version: 2 });
    const intent = (await intentIn(stores))!;
    expect(intent).toMatchObject({ specHash, spec: { run: run(2) } });
    expect(intent.rollout).toEqual(change.intent.rollout);
    expect(intent.rollout?.earlier).toMatchObject([{ generation: 1, executor: 'container' }]);
    const kept = await stores.jobs.generations(web);
    expect(kept.map(({ generation, spec: it }) => [generation, it.run])).toEqual([
      [2, run(2)],
      [1, run(1)],
    ]);
    expect(kept[0]).toEqual(change.kept.at(-1));
  });

  test('the last ten are kept, and what is gone back to is one of its own', async () => {
    const { stores } = await makeService();
    for (let version = 2; version <= generationsKept + 2; version++) {
      await stores.changes.commit(await update(stores, version), traceOf(web));
    }
    const kept = await stores.jobs.generations(web);
    expect(kept.map(({ generation }) => generation)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    const { found, around: it } = await around(stores);
    expect(rollbackService(found, 2, it)).toMatchObject({ problem: { code: 'not-found' } });
    const back = rollbackService(found, 5, it) as ServiceUpdate;
    expect(await stores.changes.commit(back, traceOf(web))).toBe('changed');
    expect((await stores.jobs.find(web))!.job).toMatchObject({
      generation: 13,
      spec: { run: run(5) },
    });
  });

  test('a restart reaches its cells, and makes no generation', async () => {
    const { stores } = await makeService();
    const { found, around: it } = await around(stores);
    const change = restartService(found, '0-1', it) as ServiceRestart;
    expect(await stores.changes.commit(change, traceOf(web))).toBe('changed');
    const { job } = (await stores.jobs.find(web))!;
    expect(job).toMatchObject({ generation: 1, restarts: 1 });
    const restart = { epoch: 1, chunks: change.rollout.restart?.chunks };
    expect((await intentIn(stores))!.rollout).toEqual({ generation: 1, earlier: [], restart });
    await stores.changes.purge({ kind: 'purge', id: web });
    expect(await stores.jobs.generations(web)).toEqual([]);
  });

  test('a second restart knows the first, until another generation makes both old', async () => {
    const { stores } = await makeService();
    for (const chunks of ['0', '1']) {
      const { found, around: it } = await around(stores);
      const change = restartService(found, chunks, it) as ServiceRestart;
      expect(await stores.changes.commit(change, traceOf(web))).toBe('changed');
    }
    const before = [{ epoch: 1, chunks: parseRanges('0') }];
    const restart = { epoch: 2, chunks: parseRanges('1'), before };
    expect((await intentIn(stores))!.rollout?.restart).toEqual(restart);
    expect((await stores.jobs.find(web))!.job).toMatchObject({ lastRestart: restart });
    await stores.changes.commit(await update(stores, 2), traceOf(web));
    expect((await stores.jobs.find(web))!.job.lastRestart).toBeUndefined();
    expect((await intentIn(stores))!.rollout?.restart).toEqual({ epoch: 2, chunks: null });
  });

  test('an instance that is stopped or taken out is so in its cells, too', async () => {
    const { stores } = await makeService();
    const { found, around: it } = await around(stores);
    const stopped = stopInstance(found, 0, it) as ServiceRestart;
    expect(await stores.changes.commit(stopped, traceOf(web))).toBe('changed');
    expect((await intentIn(stores))!.rollout?.restart).toEqual({
      epoch: 1,
      chunks: parseRanges('0'),
      elsewhere: true,
    });
    const next = (await stores.jobs.find(web))!;
    const fewer = removeInstance(next, 0, it.cells) as JobEdit;
    expect(await stores.changes.commit(fewer, traceOf(web))).toBe('changed');
    const { job, status } = (await stores.jobs.find(web))!;
    expect(job).toMatchObject({ chunking: { chunks: 1, gaps: [0] }, spec: { chunks: 1 } });
    expect(status.chunking).toEqual(job.chunking);
    expect((await intentIn(stores))!.chunking).toEqual(job.chunking);
  });
};
