import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import {
  edgeJobListSchema,
  edgeListSchema,
  edgeSchema,
} from '../../../core/contract/edge-answer.ts';
import {
  auditListSchema,
  poolListSchema,
  poolSchema,
  queueListSchema,
  queueSchema,
  statsSchema,
  tokenListSchema,
  tokenSchema,
} from '../../../core/contract/fleet-body.ts';
import {
  chunkListSchema,
  chunkSchema,
  eventListSchema,
  executionListSchema,
  explainSchema,
  jobListSchema,
  jobSchema,
  planSchema,
} from '../../../core/contract/job-answer.ts';
import { engine } from '../../../local/test/engine.ts';
import { isDeployed, makePlace } from '../start/place.ts';
import { type Place, until } from '../start/stage.ts';
import { runClient, startClient } from './client.ts';

/**
 * The client against the real API: what it prints as JSON is what the API promises, and its exit
 * codes are true.
 */
let place: Place;
const edgewise = (...args: string[]) => runClient(place.directory, ...args);

beforeAll(async () => {
  place = await makePlace();
  const stage = place.start('--edges', '4', '--no-requests', '--no-dashboard');
  await until('the stage is ready', () => {
    if (stage.process.exitCode !== null) throw new Error(stage.text());
    return place.endpoints();
  });
  await until('four edges are there', async () => {
    const { out } = await edgewise('edge', 'list', '--state', 'connected', '-o', 'name');
    return out.split('\n').length > 4;
  });
});
afterAll(() => place.remove());

describe('work', () => {
  test('a job goes to its end, and its id is all that stdout says', async () => {
    const { code, out, err } = await edgewise('submit', '--power', '403', '--wait');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const job = jobSchema.parse(
      JSON.parse((await edgewise('job', 'get', out.trim(), '-o', 'json')).out),
    );
    expect(job.status).toMatchObject({ state: 'done', percent: 100 });
    const powers = job.status.executions.map((execution) => execution.power);
    expect(powers.sort()).toEqual([100, 100, 100, 103]);
  });

  test('a job that fails ends with 7, and its output can be read', async () => {
    const script = 'echo chunk $EDGEWISE_CHUNK; exit 3';
    const words = ['--chunks', '2', '--attempts', '1', '--name', 'sour', '--wait'];
    const { code, err } = await edgewise('submit', ...words, '--', 'sh', '-c', script);
    expect(code).toBe(7);
    expect(err).toContain('2 of 2 chunks failed');
    const logs = await until('the outputs have arrived', async () => {
      const read = await edgewise('logs', 'sour');
      return read.out.split('\n').length > 2 ? read : null;
    });
    expect(logs.out).toBe('chunk 0\nchunk 1\n');
    expect((await edgewise('job', 'retry', 'sour', '--wait')).code).toBe(7);
  });

  test('a job that nothing can run ends with 8 and says why', async () => {
    const words = ['--power', '5', '--require', 'site=moon', '--wait=placed', '--name', 'moon'];
    const { code, err } = await edgewise('submit', ...words);
    expect(code).toBe(8);
    expect(err).toContain('labels-do-not-match');
    const explained = await edgewise('explain', 'moon');
    expect(explained.out).toContain('4 chunks wait: labels-do-not-match');
    expect((await edgewise('job', 'wait', 'moon', '--timeout', '1s')).code).toBe(6);
    expect((await edgewise('job', 'cancel', 'moon', '--yes')).code).toBe(0);
    // It is purged once it has ended, which takes a moment after it is cancelled.
    await until('it is purged', async () => {
      return (await edgewise('job', 'purge', 'moon', '--yes')).code === 0;
    });
    expect((await edgewise('job', 'get', 'moon')).code).toBe(3);
  });

  test('a job file is the API body, and its mistakes come back with their pointers', async () => {
    const path = join(place.directory, 'job.yaml');
    writeFileSync(path, 'power: 40\nchunks: 2\nlabels:\n  team: a\n');
    const good = await edgewise('submit', '--file', path, '--wait', '-o', 'json');
    expect(jobSchema.parse(JSON.parse(good.out))).toMatchObject({
      spec: { power: 40, chunks: 2, labels: { team: 'a' } },
      status: { state: 'done' },
    });
    writeFileSync(path, 'power: 40\ncolour: red\n');
    const bad = await edgewise('submit', '--file', path);
    expect(bad).toMatchObject({ code: 2, out: '' });
    expect(bad.err).toContain('/colour');
  });
});

test('an agent that is started joins, works, is emptied, and leaves in order', async () => {
  const agent = startClient(place.directory, ['agent', '--name', 'edge-77', '--power', '50']);
  const words = ['submit', '--power', '50', '--chunks', '1', '--edge', 'edge-77', '--wait'];
  expect((await edgewise(...words)).code).toBe(0);
  const drained = await edgewise('edge', 'drain', 'edge-77', '--yes');
  expect(drained).toMatchObject({ code: 0, out: 'edge-77 is empty\n' });
  const after = ['submit', '--name', 'late', '--power', '50', '--edge', 'edge-77'];
  expect((await edgewise(...after, '--wait=placed')).code).toBe(8);
  expect((await edgewise('job', 'cancel', 'late', '--yes')).code).toBe(0);
  agent.process.kill('SIGINT');
  expect((await agent.ended).code).toBe(0);
});

test('the requester submits what it is asked for', async () => {
  const { code, err } = await edgewise(
    'request',
    '--max-jobs',
    '3',
    '--seed',
    '1',
    '--name',
    'dice',
  );
  expect({ code, err }).toEqual({ code: 0, err: 'Submitted 3 jobs.\n' });
  const { out } = await edgewise('job', 'list', '--label', 'requester=dice', '-o', 'name');
  const names = out.trim().split('\n');
  expect(names).toHaveLength(3);
  // What follows finds the edges free again; a random job may also have failed.
  for (const name of names) expect([0, 7]).toContain((await edgewise('job', 'wait', name)).code);
});

describe('-o json is what the API promises', () => {
  const answers: readonly (readonly [string, z.ZodType])[] = [
    ['job list', jobListSchema],
    ['job get last', jobSchema],
    ['job chunks last', chunkListSchema],
    ['job chunks last 0', chunkSchema],
    ['job executions last', executionListSchema],
    ['job events last', eventListSchema],
    ['job explain last', explainSchema],
    ['job plan --power 403', planSchema],
    ['job set last --label team=b', jobSchema],
    ['job wait last', jobSchema],
    ['edge list', edgeListSchema],
    ['edge get edge-10', edgeSchema],
    ['edge jobs edge-10', edgeJobListSchema],
    ['edge set edge-10 --label site=north', edgeSchema],
    ['edge cordon edge-10 --reason test', edgeSchema],
    ['edge uncordon edge-10', edgeSchema],
    ['pool list', poolListSchema],
    ['pool get default', poolSchema],
    ['pool set default --policy spread', poolSchema],
    ['queue list', queueListSchema],
    ['queue set nightly --weight 2 --quota 5000', queueSchema],
    ['queue get nightly', queueSchema],
    ['token create reader --scope jobs:read --ttl 1h', tokenSchema],
    ['token list', tokenListSchema],
    ['audit', auditListSchema],
    ['status', statsSchema],
  ];
  test.each(answers)('%s', async (words, schema) => {
    const { code, out, err } = await edgewise(...words.split(' '), '-o', 'json');
    expect({ code, err: words.startsWith('token create') ? '' : err }).toEqual({
      code: 0,
      err: '',
    });
    const parsed = schema.safeParse(JSON.parse(out));
    expect(parsed.error?.message).toBeUndefined();
  });
});

test.skipIf(isDeployed)('up and down run a cloud of their own in the background', async () => {
  const other = await makePlace();
  try {
    const words = ['--port-base', String(other.portBase), '--database', engine];
    const up = await runClient(other.directory, 'up', ...words);
    expect(up).toMatchObject({ code: 0, out: `http://127.0.0.1:${other.portBase + 1}\n` });
    expect((await runClient(other.directory, 'version', '--server')).code).toBe(0);
    const down = await runClient(other.directory, 'down');
    expect(down).toMatchObject({ code: 0, out: 'stopped\n' });
    await until('nothing is left of it', () => other.processes().length === 0);
  } finally {
    await other.remove();
  }
});

test('the doctor finds nothing wrong', async () => {
  const { code, out } = await edgewise('doctor');
  expect(out).toContain('4 of');
  expect(code).toBe(0);
});

test('the token of the stage stays in a file that only its owner reads', () => {
  const { path } = place.endpoints()!;
  expect(readFileSync(path, 'utf8')).toContain('"token"');
});
