import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JobId, jobIdOf } from '../../../core/model/names.ts';
import { chunksOf, parseRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { WorkEntry } from '../../../core/protocol/work.ts';
import type { Parameters } from '../../../core/sweeps/parameters.ts';
import { openParameterStore } from '../../../edge-agent/disk/parameter-store.ts';
import { openParameterLibrary } from '../../../edge-agent/inputs/parameter-library.ts';
import { makeHandClock } from '../hand-clock.ts';

/** What is known of parameters, by one life of an agent after another on the same disk. */
const job = jobIdOf('job');
const spec = { hash: 'h', sweep: true } as unknown as AgentSpec;
const ranges = (text: string): RangeSet => parseRanges(text)!;

let directory: string;
let ending: AbortController;
let asked: RangeSet[];
let isAway: boolean;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-parameters-'));
  ending = new AbortController();
  asked = [];
  isAway = false;
});
afterEach(() => {
  ending.abort();
  rmSync(directory, { recursive: true, force: true });
});

const place = () => join(directory, 'edge-1', 'parameters');
const files = () => readdirSync(place()).sort();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** One life: what it has been given, what it wants to start, and what it knows then. */
function live() {
  const library = openParameterLibrary({
    api: {
      getParameters: async (_secret: string, _job: JobId, chunks: RangeSet) => {
        asked.push(chunks);
        if (isAway) throw new Error('it does not answer');
        return new Map([...chunksOf(chunks)].map((chunk) => [chunk, own(chunk)]));
      },
    },
    store: openParameterStore((edge) => join(directory, edge)),
    clock: makeHandClock(),
    signal: ending.signal,
  });
  let held = entry('0-9');
  return {
    holds(text: string | null) {
      held = text === null ? new Map() : entry(text);
      this.known();
    },
    known: () => {
      const { known } = library.of('edge-1', held)(job, spec);
      return Array.from({ length: 10 }, (_, chunk) => chunk).filter((chunk) => known.has(chunk));
    },
    valueOf: (chunk: number) => library.of('edge-1', held)(job, spec).known.get(chunk),
    async wants(text: string) {
      const wanted = { job, spec, ahead: ranges(text) };
      const isAtOnce = library.fetch(
        'edge-1',
        wanted,
        () => 'secret',
        () => {},
      );
      await settled();
      return isAtOnce;
    },
  };
}
const own = (chunk: number): Parameters => new Map([['constructor', `value of ${chunk}`]]);
const entry = (text: string) =>
  new Map([[job, { specHash: 'h', ranges: ranges(text) } as unknown as WorkEntry]]);

test('an agent that starts again has what came before, and asks for none of it', async () => {
  const before = live();
  expect(await before.wants('0-4')).toBe(false);
  expect(before.known()).toEqual([0, 1, 2, 3, 4]);
  isAway = true;
  asked = [];
  const after = live();
  expect(after.known()).toEqual([]);
  expect(await after.wants('1-3')).toBe(true);
  expect([after.known(), after.valueOf(2)]).toEqual([[1, 2, 3], own(2)]);
  expect(await after.wants('1-3')).toBe(false);
  expect(asked).toEqual([]);
});

test('a chunk that ran before and has to run again has its parameters still', async () => {
  const before = live();
  await before.wants('0-4');
  await before.wants('2-6');
  expect(before.known()).toEqual([2, 3, 4, 5, 6]);
  isAway = true;
  const after = live();
  expect(await after.wants('0-9')).toBe(true);
  expect(after.known()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(asked.at(-1)).toEqual(ranges('7-9'));
});

test('what the edge has no more is not kept, nor anything of a job that it lost', async () => {
  const one = live();
  await one.wants('0-4');
  await one.wants('0-9');
  expect(files()).toEqual(['job-h.0-4.json', 'job-h.5-9.json']);
  one.holds('4-9');
  expect(files()).toEqual(['job-h.0-4.json', 'job-h.5-9.json']);
  one.holds('5-9');
  expect(files()).toEqual(['job-h.5-9.json']);
  live().holds(null);
  expect(files()).toEqual([]);
});

test('what is damaged or not ours on the disk is as if it were not there', async () => {
  mkdirSync(place(), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(place(), name), text);
  write('job-h.0-1.json', '{"0":{"ok":1},"1":{"1bad":2},"__proto__":{"ok":3}');
  write('job-h.2-3.json', '{"2":{"ok":1},"3":{"1bad":2},"x":{"ok":3}}');
  write('job-h.4-5.json.new', '{"4":{"ok":1}}');
  const one = live();
  isAway = true;
  await one.wants('0-5');
  expect([one.known(), one.valueOf(2)]).toEqual([[2], new Map([['ok', 1]])]);
  expect(files()).toEqual(['job-h.0-1.json', 'job-h.2-3.json']);
});

test('a disk that takes nothing costs no chunk its parameters', async () => {
  writeFileSync(join(directory, 'edge-1'), 'no directory');
  const one = live();
  await one.wants('0-4');
  expect(one.known()).toEqual([0, 1, 2, 3, 4]);
  expect(asked).toHaveLength(1);
});
