import { expect, test } from 'vitest';
import {
  crowdedMsMax,
  displacedMs,
  reconnectMsMin,
  shortConnectionMs,
} from '../../../edge-agent/limits.ts';
import { makeReconnectPauses } from '../../../edge-agent/link/reconnect-pauses.ts';
import { seededRandom } from '../../sim/seeded-random.ts';

const hourMs = 3_600_000;

/** Two agents with one identity: whoever connects throws the other one off. */
function fight(forMs: number) {
  let nowMs = 0;
  const random = seededRandom(7);
  const make = () =>
    makeReconnectPauses(
      () => nowMs,
      () => random.next(),
    );
  const agents = [make(), make()];
  let connections = 0;
  let longestMs = 0;
  for (let turn = 0; nowMs < forMs; turn++) {
    agents[turn % 2]!.connected();
    connections++;
    const heldMs = turn === 0 ? 0 : agents[(turn + 1) % 2]!.nextMs();
    longestMs = Math.max(longestMs, heldMs);
    nowMs += heldMs;
  }
  return { connections, longestMs };
}

test('two agents with one identity throw each other off ever more rarely', () => {
  const { connections, longestMs } = fight(hourMs);
  expect(connections).toBeLessThan((3 * hourMs) / crowdedMsMax);
  expect(longestMs).toBeGreaterThan(crowdedMsMax / 2);
  expect(longestMs).toBeLessThanOrEqual(crowdedMsMax);
});

test('after a connection that lasted an agent is back at once', () => {
  let nowMs = 0;
  const pauses = makeReconnectPauses(
    () => nowMs,
    () => 1,
  );
  expect(pauses.nextMs()).toBe(reconnectMsMin);
  for (let short = 0; short < 20; short++) {
    pauses.connected();
    nowMs += shortConnectionMs - 1;
    pauses.nextMs();
  }
  pauses.connected();
  nowMs += shortConnectionMs - 1;
  expect(pauses.nextMs()).toBe(crowdedMsMax);
  pauses.connected();
  nowMs += shortConnectionMs;
  expect(pauses.nextMs()).toBe(reconnectMsMin);
});

test('an agent that is to give way stays away for longer', () => {
  const pauses = makeReconnectPauses(
    () => 0,
    () => 0.5,
  );
  pauses.giveWay(true);
  expect(pauses.nextMs()).toBe(displacedMs * 1.25);
  pauses.giveWay(false);
  expect(pauses.nextMs()).toBeLessThan(displacedMs);
});
