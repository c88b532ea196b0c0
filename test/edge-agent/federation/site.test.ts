import { expect, test } from 'vitest';
import { siteStatsEveryMs } from '../../../edge-agent/federation/limits.ts';
import { watchSite } from '../../../edge-agent/federation/site.ts';
import { ControlPlaneError } from '../../../edge-agent/link/control-plane-api.ts';
import { makeHandClock } from '../hand-clock.ts';

/** What lies below an edge that is a deployment, before and after it is there. */
test('a pool that does not exist yet is looked for as often as one that does', async () => {
  const clock = makeHandClock();
  const stopping = new AbortController();
  const lines: string[] = [];
  let isThere = false;
  const watching = watchSite({
    api: {
      edges: async () => [],
      power: async () => {
        if (isThere) return { total: 7, free: 7 };
        throw new ControlPlaneError('There is no pool "hpc".', 404, 'not-found', null);
      },
    },
    pool: 'hpc',
    clock,
    log: (line) => void lines.push(line),
    signal: stopping.signal,
  });
  await new Promise((resolve) => setImmediate(resolve));
  for (let looks = 0; looks < 60; looks++) {
    expect(clock.nextWaitMs()).toBeLessThanOrEqual(siteStatsEveryMs);
    await clock.wind();
  }
  isThere = true;
  await clock.wind();
  const site = await watching;
  expect([site?.free(), site?.trouble()]).toEqual([7, null]);
  expect(lines).toEqual([
    'The deployment below: There is no pool "hpc". Trying on.',
    'The deployment below answers again.',
  ]);
  stopping.abort();
});
