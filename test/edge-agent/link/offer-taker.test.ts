import { beforeEach, expect, test } from 'vitest';
import { ControlPlaneError } from '../../../edge-agent/link/control-plane-api.ts';
import { makeTaker } from '../../../edge-agent/link/offer-taker.ts';

/** How an agent takes work by itself. */
let nowMs: number;
let offered: readonly string[] | Error;
let taken: string[][];
let lines: string[];
let take: (secret: string) => Promise<void>;

beforeEach(() => {
  nowMs = 0;
  offered = [];
  taken = [];
  lines = [];
  const api = {
    listOffers: async (_secret: string, _edge: string, max: number) => {
      if (offered instanceof Error) throw offered;
      return offered.slice(0, max);
    },
    acceptOffers: async (_secret: string, _edge: string, jobs: readonly string[]) => {
      taken.push([...jobs]);
    },
  };
  const log = (line: string) => void lines.push(line);
  take = makeTaker({
    api,
    clock: { monotonicMs: () => nowMs },
    edge: 'e',
    log,
    max: 2,
    everyMs: 9,
  });
});

test('it takes the first of what is offered, and looks no sooner than it may', async () => {
  offered = ['a', 'b', 'c'];
  await take('s');
  await take('s');
  expect(taken).toEqual([['a', 'b']]);
  nowMs = 9;
  offered = [];
  await take('s');
  expect(taken.length).toBe(1);
  nowMs = 18;
  offered = ['c'];
  await take('s');
  expect(taken[1]).toEqual(['c']);
});

test('what goes wrong is said once, and looked at again', async () => {
  offered = new ControlPlaneError('it does not answer', null, 'unreachable', null);
  await take('s');
  nowMs = 9;
  await take('s');
  expect(lines).toEqual(['e: takes nothing now: it does not answer. Trying on.']);
  nowMs = 18;
  offered = ['a'];
  await take('s');
  expect(taken).toEqual([['a']]);
  nowMs = 27;
  offered = new Error('it does not answer');
  await take('s');
  expect(lines.length).toBe(2);
});
