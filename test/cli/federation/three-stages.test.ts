import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Drift } from '../../../cli/federation/drift.ts';
import { run } from '../../../cli/run.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../api/served-fleet.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

/** Three deployments, each with its own store, behind contexts of one user. */
const names = ['lab', 'north', 'south'] as const;
let directory: string;
let stages: ReadonlyMap<string, ServedFleet>;

const description = {
  stages: names,
  pools: { hpc: { policy: 'pack', edgeCapacityMax: { power: 500 } }, old: null },
  queues: { nightly: { weight: 2, quota: 5_000 } },
  tokens: {
    uploader: { scopes: ['jobs:write', 'jobs:read'], pool: 'hpc' },
    enroller: { scopes: ['edges:enrol'], uses: 3 },
  },
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-stages-'));
  const started = await Promise.all(names.map(() => startServedFleet()));
  stages = new Map(names.map((name, at) => [name, started[at]!]));
  writeContexts({});
  writeDescription(description);
});

afterEach(async () => {
  await Promise.all([...stages.values()].map((it) => it.close()));
  rmSync(directory, { recursive: true, force: true });
});

function writeContexts(other: Readonly<Record<string, string>>): void {
  const contexts = Object.fromEntries(
    [...stages].map(([name, { url }]) => [name, { api: other[name] ?? url, token: adminSecret }]),
  );
  mkdirSync(join(directory, '.config/edgewise'), { recursive: true });
  const file = join(directory, '.config/edgewise/config.json');
  writeFileSync(file, JSON.stringify({ current: null, contexts }));
}

function writeDescription(value: object): void {
  writeFileSync(join(directory, 'stages.yaml'), JSON.stringify(value));
}

async function edgewise(...words: string[]) {
  const terminal = scriptedTerminal({ directory, startMs: stages.get('lab')!.nowMs() });
  const code = await run(['federation', ...words, '-f', 'stages.yaml'], terminal);
  return { code, data: terminal.data(), talk: terminal.talk() };
}

const apply = (...words: string[]) => edgewise('apply', '--secrets', 'secrets', ...words);

const changesAt = (name: string) =>
  stages.get(name)!.seen.filter(({ method }) => method !== 'GET').length;

async function byHand(stage: string, method: string, path: string, body?: object) {
  const { api } = stages.get(stage)!;
  return api.request(method, path, body === undefined ? {} : { body });
}

describe('federation', () => {
  test('three stages come to one description, and a second run changes nothing', async () => {
    expect((await edgewise('diff')).code).toBe(5);
    expect(await apply()).toMatchObject({ code: 0 });
    for (const name of names) {
      const pool = (await byHand(name, 'GET', '/v1/pools/hpc')).json;
      expect(pool).toMatchObject({ policy: 'pack', edgeCapacityMax: { power: 500 } });
      const queue = (await byHand(name, 'GET', '/v1/queues/nightly')).json;
      expect(queue).toEqual({ name: 'nightly', weight: 2, strict: false, quota: 5_000 });
    }
    const changes = names.map(changesAt);
    const again = await edgewise('apply');
    expect(again.code).toBe(0);
    expect(again.data.match(/as described/g)).toHaveLength(3);
    expect(names.map(changesAt)).toEqual(changes);
    expect((await edgewise('diff')).code).toBe(0);
  });

  test('what somebody changed by hand is shown where it was changed, and is put right', async () => {
    await apply();
    await byHand('north', 'PUT', '/v1/pools/hpc', { policy: 'spread' });
    await byHand('south', 'PUT', '/v1/pools/old', {});
    const { items } = (await byHand('south', 'GET', '/v1/tokens')).json;
    const uploader = items.find((it: { name: string }) => it.name === 'uploader');
    await byHand('south', 'DELETE', `/v1/tokens/${uploader.id}`);
    const more = { name: 'enroller', scopes: ['edges:enrol', 'fleet:admin'] };
    await byHand('lab', 'POST', '/v1/tokens', more);

    const shown = await edgewise('diff', '-o', 'json');
    expect(shown.code).toBe(5);
    const seen = JSON.parse(shown.data) as { stages: { drifts: Drift[] }[] };
    const drifts = seen.stages.map((stage) =>
      stage.drifts.map((it) => [it.kind, it.name, it.drift, ...it.fields]),
    );
    const scopes = { described: ['edges:enrol'], found: ['edges:enrol', 'fleet:admin'] };
    expect(drifts).toEqual([
      [['token', 'enroller', 'differs', { field: 'scopes', ...scopes }]],
      [
        [
          ...['pool', 'hpc', 'differs'],
          { field: 'policy', described: 'pack', found: 'spread' },
          { field: 'edgeCapacityMax', described: { power: 500 }, found: {} },
        ],
      ],
      [
        ['token', 'uploader', 'missing'],
        ['pool', 'old', 'unwanted'],
      ],
    ]);
    expect((await apply('--yes')).code).toBe(0);
    expect((await edgewise('diff')).code).toBe(0);
    // Of the two of that name the one that is as described was kept.
    const left = (await byHand('lab', 'GET', '/v1/tokens')).json.items;
    expect(left.filter((it: { name: string }) => it.name === 'enroller')).toHaveLength(1);
  });

  test('a stage that does not answer is named, and stops none of the others', async () => {
    writeContexts({ north: 'http://127.0.0.1:2' });
    const applied = await apply();
    expect(applied.code).toBe(1);
    expect(applied.data).toContain('Nothing listens at http://127.0.0.1:2.');
    expect([changesAt('lab'), changesAt('north'), changesAt('south')]).toEqual([4, 0, 4]);
    const diff = await edgewise('diff');
    expect(diff.code, 'nothing is known of north, which is not the same as no drift').toBe(1);
    expect(diff.data.match(/as described/g)).toHaveLength(2);
    writeContexts({});
    expect((await apply()).code).toBe(0);
  });

  test('a change that is refused stands alone', async () => {
    writeDescription({ ...description, pools: { default: null, ...description.pools } });
    const applied = await apply('--yes', '-o', 'json');
    expect(applied.code).toBe(1);
    for (const { drifts } of JSON.parse(applied.data).stages) {
      const refused = drifts.filter((it: { problem: string | null }) => it.problem !== null);
      expect(refused).toMatchObject([{ kind: 'pool', name: 'default', drift: 'unwanted' }]);
      expect(drifts).toHaveLength(5);
    }
  });

  test('secrets go to files of their owner, and are shown nowhere', async () => {
    const without = await edgewise('apply');
    expect(without.code).toBe(2);
    expect(names.map(changesAt), 'nothing was changed').toEqual([0, 0, 0]);
    const { data, talk } = await apply('-o', 'json');
    for (const name of names) {
      const file = join(directory, 'secrets', name, 'uploader');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const secret = readFileSync(file, 'utf8').trim();
      expect(data + talk).not.toContain(secret);
      const headers = { authorization: `Bearer ${secret}` };
      const used = await stages
        .get(name)!
        .api.request('GET', '/v1/jobs?pool=hpc', { token: null, headers });
      expect(used.status).toBe(200);
    }
  });

  test('a token whose secret cannot be kept is not there afterwards', async () => {
    writeFileSync(join(directory, 'secrets'), 'a file where the directory should be');
    expect((await apply('--stage', 'lab')).code).toBe(1);
    const { items } = (await byHand('lab', 'GET', '/v1/tokens')).json;
    expect(items.map((it: { name: string }) => it.name)).not.toContain('uploader');
  });

  test('the token of the context itself is not revoked under its own feet', async () => {
    await apply('--stage', 'lab');
    const body = { name: 'operator', scopes: ['fleet:admin', 'edges:read', 'jobs:read'] };
    const { secret } = (await byHand('lab', 'POST', '/v1/tokens', body)).json;
    const file = join(directory, '.config/edgewise/config.json');
    const contexts = { lab: { api: stages.get('lab')!.url, token: secret } };
    writeFileSync(file, JSON.stringify({ current: null, contexts }));
    writeDescription({ stages: ['lab'], tokens: { operator: null } });
    const refused = await edgewise('apply', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.data).toContain('This stage is called with that token');
    expect((await edgewise('diff')).code).toBe(5);
  });

  test('a context that is not there, and flags of one API, are refused before anything', async () => {
    const unknown = await edgewise('apply', '--stage', 'moon');
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.talk).toContain('Known: lab, north, south');
    expect((await edgewise('diff', '--context', 'lab')).talk).toContain('--context names one API');
    expect(names.map((name) => stages.get(name)!.seen.length)).toEqual([0, 0, 0]);
  });
});
