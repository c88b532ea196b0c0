import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoints } from '../product/local-cloud.ts';
import type { Figures } from '../run.ts';
import { clientOf, inTurns, until } from './client.ts';

/**
 * Many jobs at once: a burst that ten edges serve, and a cell in which thousands wait for an edge
 * that is not there. What a pass takes there is what its function says in its log.
 */
const burst = 200;
const backlog = Number(process.env.SMALL_BACKLOG ?? 10_000);
const batchSize = 100;
const submitters = 4;
const loneJobs = 10;
const nobodyHas = JSON.stringify({
  chunks: 1,
  run: { simulate: { seconds: 0.001 } },
  requires: { labels: { site: 'nowhere' } },
});

export async function backlogFigures(place: Endpoints, home: string): Promise<readonly Figures[]> {
  const api = clientOf(place);
  const before = await api.ended();
  const burstAtMs = performance.now();
  await inTurns(burst, 1, () => api.submit());
  const sentMs = performance.now() - burstAtMs;
  await until(async () => (await api.ended()) - before >= burst);
  const doneMs = performance.now() - burstAtMs;
  const startedAtMs = performance.now();
  const batches = Math.ceil(backlog / batchSize / submitters);
  await inTurns(submitters, batches, () => api.submitBatch(batchSize, nobodyHas));
  const storedMs = performance.now() - startedAtMs;
  const settledMs = await untilQuiet(home);
  const passesBefore = passTimes(home).length;
  const lone: number[] = [];
  for (let at = 0; at < loneJobs; at++) lone.push((await api.submitAndSee()).ms);
  const passes = passTimes(home).slice(passesBefore);
  return [
    { figure: 'burst of 200: submits per second', value: rounded((burst / sentMs) * 1_000) },
    { figure: 'burst of 200: jobs per second to done', value: rounded((burst / doneMs) * 1_000) },
    {
      figure: `backlog of ${backlog}: submits per second, in batches`,
      value: rounded((submitters * batches * batchSize * 1_000) / storedMs),
    },
    { figure: 'until no pass has anything left to do, ms', value: rounded(settledMs) },
    { figure: 'beside it: a pass, ms p50', value: rounded(median(passes)) },
    { figure: 'beside it: one job, submit to seen done, ms p50', value: rounded(median(lone)) },
  ];
}

/** Until passes have counted what was stored, and have its reasons in its status. */
async function untilQuiet(home: string): Promise<number> {
  const startedAtMs = performance.now();
  const passesAtFirst = passTimes(home).length;
  let [passes, sinceMs] = [passesAtFirst, startedAtMs];
  await until(async () => {
    const now = passTimes(home).length;
    if (now !== passes) [passes, sinceMs] = [now, performance.now()];
    return performance.now() - sinceMs > quietMs || now - passesAtFirst > passesMax;
  });
  return sinceMs - startedAtMs;
}

/** Longer than a pass over all that waits; reports of idle edges may keep waking some. */
const quietMs = 2_000;
const passesMax = 500;

/** Milliseconds of each invocation of the scheduling function, as its log has them. */
function passTimes(home: string): number[] {
  const logs = join(home, 'state', 'logs');
  const name = readdirSync(logs).find((file) => /SchedulerPass.*\.log$/.test(file));
  const log = readFileSync(join(logs, name ?? ''), 'utf8');
  return [...log.matchAll(/\tDuration: ([\d.]+) ms/g)].map((match) => Number(match[1]));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
