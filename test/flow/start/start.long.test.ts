import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job, Stats } from '../../../core/contract/resources.ts';
import { makePlace } from './place.ts';
import { askApi, type Place, ready, until } from './stage.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const quiet = ['--no-requests', '--no-dashboard'];

describe('npm start', () => {
  test('shows a busy stage, stops without a trace, and goes on where it was', async () => {
    const first = place.start('--edges', '3', '--no-dashboard');
    await ready(first, 'Ctrl-C stops everything');
    const { api, token } = place.endpoints()!;
    expect(first.text()).toContain(api);
    expect(first.text()).toContain(token);
    expect(first.text().match(/npx edgewise/g)).toHaveLength(3);
    await until('a random job is done', async () => {
      return (await askApi<Stats>(place, '/v1/stats')).jobs.done;
    });
    await until('the summary counts it', () => /jobs .* [1-9]\d* done/.test(first.text()));
    // Only an edge that is not there yet may run this one.
    const body = JSON.stringify({ power: 10, requires: { edges: ['edge-13'] } });
    const job = await askApi<Job>(place, '/v1/jobs', { method: 'POST', body });

    first.process.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(place.processes()).toEqual([]);
    expect(place.endpoints()).toBeNull();

    const second = place.start('--edges', '4', ...quiet);
    await until('it is ready again', () => place.endpoints());
    const done = await until('the job that waited is done', async () => {
      const now = await askApi<Job>(place, `/v1/jobs/${job.id}`);
      return now.status.state === 'done' ? now : null;
    });
    expect(done.status.executions?.map((execution) => execution.edge)).toEqual(['edge-13']);
    second.process.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(place.processes()).toEqual([]);
  });

  test('its child processes notice when it is killed, and the next start heals', async () => {
    const first = place.start('--edges', '1', ...quiet);
    await ready(first, 'Ctrl-C stops everything');
    expect(place.processes().length).toBeGreaterThan(2);
    first.process.kill('SIGKILL');
    await until('nothing is left of it', () => place.processes().length === 0);

    const second = place.start('--edges', '1', ...quiet);
    await ready(second, 'Ctrl-C stops everything');
  });

  test('when the local cloud is killed it says so, ends, and the next start goes on', async () => {
    const first = place.start('--edges', '1', ...quiet);
    await ready(first, 'Ctrl-C stops everything');
    const body = JSON.stringify({ power: 10, run: { simulate: { seconds: 2 } } });
    const job = await askApi<Job>(place, '/v1/jobs', { method: 'POST', body });
    process.kill(place.endpoints()!.pid!, 'SIGKILL');
    expect(await first.ended).toBe(1);
    expect(first.text()).toContain('The local cloud ended by itself');
    // Its functions notice it as soon as they can.
    await until('nothing is left of it', () => place.processes().length === 0);

    const second = place.start('--edges', '1', ...quiet);
    await ready(second, 'Ctrl-C stops everything');
    await until('the job is done', async () => {
      return (await askApi<Job>(place, `/v1/jobs/${job.id}`)).status.state === 'done';
    });
  });
});

describe('what stands in its way is one sentence', () => {
  test('a second instance on the same state', async () => {
    const first = place.start('--edges', '0', ...quiet);
    await until('it is ready', () => place.endpoints());
    const second = place.start('--edges', '0', ...quiet);
    expect(await second.ended).toBe(1);
    expect(second.text().trim()).toMatch(
      /^A local cloud already runs on .+ \(process \d+, .*\)\. .*$/,
    );
    expect(first.process.exitCode).toBeNull();
  });

  test('a port that is in use', async () => {
    const blocker = createServer().listen(place.portBase + 1, '127.0.0.1');
    try {
      const stage = place.start('--edges', '0', ...quiet);
      expect(await stage.ended).toBe(1);
      expect(stage.text().trim().split('\n').at(-1)).toMatch(
        /^Port \d+ is used by another program/,
      );
      expect(stage.text()).not.toMatch(/^\s+at /m);
    } finally {
      blocker.close();
    }
  });

  test('a flag that does not exist', async () => {
    const stage = place.start('--egdes', '3');
    expect(await stage.ended).toBe(1);
    expect(stage.text()).toContain("Unknown option '--egdes'.\nUsage: npm start");
  });
});
