import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job, Stats } from '../../../core/contract/resources.ts';
import { makePlace } from './place.ts';
import { askApi, follow, type Place, ready, root, type Stage, until } from './stage.ts';

/** `npm start` itself, as typed into a terminal. */
let places: Place[];
let shells: Stage[];
beforeEach(async () => {
  places = [await makePlace(), await makePlace()];
  shells = [];
});
afterEach(async () => {
  for (const shell of shells) signalGroup(shell, 'SIGTERM');
  await Promise.all(places.map((place) => place.remove()));
});

test('two stand side by side; Ctrl-C ends one, whole, and it goes on later', async () => {
  const [left, right] = places as [Place, Place];
  const first = await npmStart(left, '--edges', '2', '--no-requests', '--no-dashboard');
  await npmStart(right, '--edges', '1', '--no-requests', '--no-dashboard');
  await connected(left, 2);
  await connected(right, 1);
  const body = JSON.stringify({ power: 100, chunks: 20, run: { simulate: { seconds: 1 } } });
  const job = await askApi<Job>(left, '/v1/jobs', { method: 'POST', body });

  // A terminal sends Ctrl-C to npm, to its shell and to the program, all at once.
  signalGroup(first, 'SIGINT');
  await first.ended;
  expect(first.text()).toContain('"npm start" goes on where it was');
  expect(left.processes()).toEqual([]);
  expect(left.endpoints()).toBeNull();
  expect((await askApi<Stats>(right, '/v1/stats')).edges.connected).toBe(1);
  expect((await askApi<{ items: Job[] }>(right, '/v1/jobs')).items).toEqual([]);

  await npmStart(left, '--edges', '2', '--no-requests', '--no-dashboard');
  await until('the job of before is done', async () => {
    const now = await askApi<Job>(left, `/v1/jobs/${job.id}`).catch(() => null);
    return now?.status?.state === 'done' && now.status.chunks.done === 20;
  });
});

async function npmStart(place: Place, ...flags: string[]): Promise<Stage> {
  const child = spawn('npm', ['start', '--', ...place.where, ...flags], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const shell = follow(child);
  shells.push(shell);
  await ready(shell, 'Ctrl-C stops everything');
  return shell;
}

async function connected(place: Place, edges: number): Promise<void> {
  await until(`${edges} edges are connected`, async () => {
    return (await askApi<Stats>(place, '/v1/stats')).edges.connected === edges;
  });
}

function signalGroup({ process: { pid } }: Stage, signal: 'SIGINT' | 'SIGTERM'): void {
  try {
    process.kill(-pid!, signal);
  } catch {
    // It has ended.
  }
}
