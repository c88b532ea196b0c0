import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlPlaneError } from '../../../edge-agent/link/control-plane-api.ts';
import { EnrolmentFailed } from '../../../edge-agent/link/enrolment.ts';
import { loadIdentity } from '../../../edge-agent/link/identity.ts';
import { findRegistered } from '../../../edge-agent/program/registered-edge.ts';
import { makeDirectory } from '../agent-runner.ts';
import { makeHandClock } from '../hand-clock.ts';

let root: { path: string; remove: () => void };
beforeEach(() => {
  root = makeDirectory();
});
afterEach(() => root.remove());

const find = (getEdge: () => Promise<unknown>, signal = new AbortController().signal) => {
  const clock = makeHandClock();
  const place = { name: 'keebler', secret: 's', directory: join(root.path, 'edge') };
  const found = findRegistered(place, { api: { getEdge }, clock, log: () => {}, signal });
  return { clock, found };
};
const edge = { capacity: { power: 36, nodes: 3, strange: 'x' }, labels: { site: 'north', n: 1 } };

test('what was registered stays, and its secret is the identity', async () => {
  const { found } = find(async () => edge);
  expect(await found).toEqual({ capacity: { power: 36, nodes: 3 }, labels: { site: 'north' } });
  const identity = loadIdentity(join(root.path, 'edge'));
  expect(identity).toMatchObject({ edge: 'keebler', secret: 's', certificate: null });
});

test('an API that is away is asked again; one that refuses is believed', async () => {
  const away = new ControlPlaneError('away', null, 'unreachable', null);
  let asked = 0;
  const { clock, found } = find(async () => {
    if (++asked < 3) throw away;
    return {};
  });
  while (asked < 3) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.nextWaitMs() !== null) await clock.wind();
  }
  expect(await found).toEqual({ capacity: { power: 1 }, labels: {} });
  const refusal = new ControlPlaneError('401 no', 401, 'unauthenticated', null);
  await expect(find(() => Promise.reject(refusal)).found).rejects.toThrow(EnrolmentFailed);
});

test('one that is stopped before anybody answers is nobody', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await find(async () => edge, stop.signal).found).toBeNull();
});
