import { beforeEach, expect, test } from 'vitest';
import type { FleetEvent } from '../../../../core/events/fleet-event.ts';
import { jobIdOf } from '../../../../core/model/names.ts';
import { busEntriesMax } from '../../../../core/webhooks/limits.ts';
import { fillBus } from '../../../../lambdas/workers/webhooks/fill-bus.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';

let nowMs: number;
let stores: ReturnType<typeof createMemoryStores>;
let put: string[][];
let isAway: boolean;
beforeEach(() => {
  [nowMs, put, isAway] = [1_000_000, [], false];
  stores = createMemoryStores();
});

async function happens(id: string): Promise<void> {
  const event: FleetEvent = {
    ...{ id, atMs: nowMs, kind: 'job.done', job: jobIdOf('job-1'), name: null, edge: null },
    ...{ pool: 'default', queue: 'default', jobspec: null, detail: 'Done.' },
  };
  await stores.fleetLog.append([event], nowMs);
}

const fill = () =>
  fillBus({
    ...{ webhooks: stores.webhooks, fleetLog: stores.fleetLog, log: createQuietLog() },
    clock: { nowMs: () => nowMs },
    bus: {
      async put(events) {
        if (isAway) throw new Error('slow down');
        put.push(events.map(({ id }) => id));
      },
    },
  });

test('every event is put on the bus, in as few requests as it takes, also what came before', async () => {
  const ids = Array.from({ length: 2 * busEntriesMax + 3 }, (_, at) => `e-${at}`);
  for (const id of ids) await happens(id);
  await fill();
  await fill();
  expect(put.flat()).toEqual(ids);
  expect(put.map((some) => some.length)).toEqual([busEntriesMax, busEntriesMax, 3]);
});

test('what the bus does not take is put again when it does, and no webhook shows it', async () => {
  isAway = true;
  await happens('e-1');
  await fill();
  await happens('e-2');
  await fill();
  isAway = false;
  expect(put).toEqual([]);
  expect(await stores.webhooks.list()).toEqual([]);
  nowMs = (await stores.webhooks.deliveryOf('event-bus'))!.nextAtMs;
  await Promise.all([fill(), fill(), fill()]);
  expect(put).toEqual([['e-1', 'e-2']]);
});
