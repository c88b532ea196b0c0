import { expect, test } from 'vitest';
import type { FleetEvent } from '../../core/events/fleet-event.ts';
import { jobIdOf } from '../../core/model/names.ts';
import { afterNotice } from '../../core/webhooks/end-notice.ts';
import { startMs } from '../core/cell-fixture.ts';
import { submit } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const [a, b] = ['job-a', 'job-b'].map(jobIdOf) as [
  ReturnType<typeof jobIdOf>,
  ReturnType<typeof jobIdOf>,
];

const endOf = (job: typeof a, atMs: number): FleetEvent => ({
  ...{ id: `${job}.job.done.${atMs}`, atMs, kind: 'job.done', job, name: null, edge: null },
  ...{ pool: 'default', queue: 'default', jobspec: null, detail: 'x' },
});

/** What every store promises of the ends of jobs that somebody is to be notified of. */
export const endNoticesContract: Contract = (makeStores) => {
  test('what is added is due, once and in order', async () => {
    const { endNotices } = await makeStores();
    expect(await endNotices.find(a)).toBeNull();
    await endNotices.add(b, endOf(b, 2), startMs + 2);
    await endNotices.add(a, endOf(a, 1), startMs + 1);
    await endNotices.add(a, endOf(a, 1), startMs + 3);
    await endNotices.add(a, endOf(a, 4), startMs + 4);
    expect((await endNotices.find(a))?.waiting).toEqual([endOf(a, 1), endOf(a, 4)]);
    expect(await endNotices.due(startMs, 9)).toEqual([]);
    expect(await endNotices.due(startMs + 1, 9)).toEqual([a]);
    expect(await endNotices.due(startMs + 9, 9)).toEqual([a, b]);
    expect(await endNotices.due(startMs + 9, 1)).toEqual([a]);
  });

  test('of two that send it one goes on from what it saw', async () => {
    const stores = await makeStores();
    const { endNotices, jobs } = stores;
    await submit(stores, a);
    await endNotices.add(a, endOf(a, 1), startMs);
    const found = (await endNotices.find(a))!;
    const sent = { isTaken: true, atMs: startMs + 5, event: 'e', status: 204, error: null };
    const { next } = afterNotice(found, sent);
    const line = { atMs: startMs + 5, kind: 'end-not-received', by: 'edgewise', detail: 'x' };
    expect(await endNotices.save(next, found.turn, line)).toBe(true);
    expect(await endNotices.save({ ...next, failures: 9 }, found.turn)).toBe(false);
    expect(await endNotices.find(a)).toEqual(next);
    expect(await endNotices.due(startMs + 9, 9)).toEqual([]);
    const events = await jobs.events(a, null, 100);
    expect(JSON.stringify(events)).toContain('end-not-received');
    // A stream that repeats itself.
    await endNotices.add(a, endOf(a, 1), startMs + 6);
    expect(await endNotices.due(startMs + 9, 9)).toEqual([]);
  });
};
