import { expect, test } from 'vitest';
import type { Cell } from '../../../../core/model/cell.ts';
import { contendedCellMs, parkedCellMs, passAttemptsMax } from '../../../../core/model/limits.ts';
import {
  type CellId,
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  jobIdOf,
} from '../../../../core/model/names.ts';
import { rangeOf } from '../../../../core/model/ranges.ts';
import type { CellStore } from '../../../../core/ports/cells.ts';
import { parseWork, type WorkJson } from '../../../../core/protocol/work.ts';
import { runPass } from '../../../../lambdas/workers/schedule/run-pass.ts';
import {
  duesOfTimers,
  scheduleCells,
} from '../../../../lambdas/workers/schedule/schedule-cells.ts';
import { makeCell, makeEdges, makeJob, startMs } from '../../../core/cell-fixture.ts';
import { createMemoryCells } from '../../../memory/cells.ts';
import { seedMemory } from '../../../memory/seed.ts';
import { nothingStored } from '../../../memory/stored.ts';
import { createQuietLog } from '../../quiet-log.ts';

const id = cellIdOf('default.0');

function stage(cell: Cell | null, over: { store?: Partial<CellStore>; write?: () => void } = {}) {
  const memory = memoryOf(cell);
  const shadows = new Map<EdgeName, WorkJson>();
  const looks: { cell: CellId; atMs: number }[] = [];
  const log = createQuietLog();
  const deps = {
    store: { ...memory, ...over.store },
    shadows: {
      async write(edge: EdgeName, work: WorkJson) {
        over.write?.();
        shadows.set(edge, work);
      },
    },
    timers: {
      async lookAgain(looked: CellId, atMs: number) {
        looks.push({ cell: looked, atMs });
      },
    },
    clock: { nowMs: () => startMs + 1_000 },
    log,
    rates: { countProgress: async () => {} },
  };
  return { deps, memory, shadows, looks, log };
}

function memoryOf(cell: Cell | null): CellStore {
  const stored = nothingStored();
  if (cell !== null) seedMemory(stored, cell);
  return createMemoryCells(stored);
}

const oneJob = () => makeCell({ edges: makeEdges(2), jobs: [makeJob('job-1')] });

test('grants what is waiting and sends the edges the epoch that was committed', async () => {
  const { deps, memory, shadows } = stage(oneJob());
  expect(await runPass(deps, id)).toBe('settled');
  const stored = await memory.load(id);
  expect(shadows.size).toBe(2);
  for (const [edge, document] of shadows) {
    const work = parseWork(document);
    expect(work?.epoch).toBe(stored?.edges.get(edge)?.work?.epoch);
    expect(work?.jobs.get(jobIdOf('job-1'))?.ranges).toEqual(
      stored?.edges.get(edge)?.work?.leases.get(jobIdOf('job-1'))?.ranges,
    );
  }
});

test('a second pass over its own result writes nothing', async () => {
  const { deps, memory, shadows } = stage(oneJob());
  await runPass(deps, id);
  const version = (await memory.load(id))?.meta.version;
  shadows.clear();
  await runPass(deps, id);
  expect((await memory.load(id))?.meta.version).toBe(version);
  expect(shadows.size).toBe(0);
});

test('a cell that is not there is no failure', async () => {
  expect(await runPass(stage(null).deps, id)).toBe('no-cell');
});

test('whoever lost the race decides again on what is stored now', async () => {
  const memory = memoryOf(oneJob());
  let raced = false;
  const { deps, shadows } = stage(null, {
    store: {
      load: memory.load,
      async commit(plan) {
        if (!raced) {
          raced = true;
          await memory.commit(plan);
          return 'conflict';
        }
        return memory.commit(plan);
      },
    },
  });
  expect(await runPass(deps, id)).toBe('settled');
  expect(raced).toBe(true);
  // The other pass granted everything, and telling the edges was its to do.
  expect(shadows.size).toBe(0);
});

test('a status that others write by now is left out of the next try', async () => {
  const stored = makeJob('job-1', { intent: { foldedByCell: true } });
  const memory = memoryOf(makeCell({ edges: makeEdges(2), jobs: [stored] }));
  const { deps } = stage(null, { store: memory });
  // No status of the job is stored here, so none is the cell's.
  expect(await runPass(deps, id)).toBe('settled');
  const slice = (await memory.load(id))?.jobs.get(stored.id)?.slice;
  expect([slice?.foldedByRollup, slice?.countedAs]).toEqual([true, null]);
});

test.each([
  ['later than it was due', 1, 'served', 0],
  ['of the same moment', 0, 'settled', 1],
])('a timer that finds a pass %s', async (_, laterMs, outcome, loads) => {
  let loaded = 0;
  const memory = memoryOf(oneJob());
  const { deps } = stage(null, {
    store: {
      ...memory,
      load: (cell) => {
        loaded++;
        return memory.load(cell);
      },
      passedAtMs: async () => startMs + laterMs,
    },
  });
  expect(await runPass(deps, id, startMs)).toBe(outcome);
  expect(loaded).toBe(loads);
});

test('a timer that loses the race against a later pass leaves the cell to it', async () => {
  const memory = memoryOf(oneJob());
  const { deps } = stage(null, {
    store: {
      ...memory,
      async commit(plan) {
        await memory.commit(plan);
        return 'conflict';
      },
    },
  });
  expect(await runPass(deps, id, startMs)).toBe('served');
  expect((await memory.load(id))?.meta.passedAtMs).toBe(startMs + 1_000);
});

test('messages say when they were due; of an earlier release they do not, and are never late', () => {
  const of = (body: object) => ({ body: JSON.stringify(body), messageId: 'm' });
  const dues = duesOfTimers([
    of({ cell: id, dueAtMs: 5 }),
    of({ cell: id, dueAtMs: 9 }),
    of({ cell: 'other.0', dueAtMs: 7 }),
    of({ cell: 'other.0' }),
    of({ dueAtMs: 1 }),
  ]);
  expect([...dues]).toEqual([
    [id, 9],
    ['other.0', Number.POSITIVE_INFINITY],
  ]);
});

test('a race lost every time ends, and asks for another look', async () => {
  let commits = 0;
  const { deps, looks } = stage(oneJob(), {
    store: {
      async commit() {
        commits++;
        return 'conflict';
      },
    },
  });
  expect(await runPass(deps, id)).toBe('contended');
  expect(commits).toBe(passAttemptsMax);
  expect(looks).toEqual([{ cell: id, atMs: startMs + 1_000 + contendedCellMs }]);
});

test('no edge is sent what was not committed', async () => {
  const { deps, shadows } = stage(oneJob(), {
    store: {
      async commit() {
        throw new Error('the table is away');
      },
    },
  });
  await expect(runPass(deps, id)).rejects.toThrow('the table is away');
  expect(shadows.size).toBe(0);
});

test('a shadow that cannot be written is left to a later pass', async () => {
  const { deps, memory, log } = stage(oneJob(), {
    write() {
      throw new Error('throttled');
    },
  });
  expect(await runPass(deps, id)).toBe('settled');
  expect((await memory.load(id))?.edges.get(edgeNameOf('edge-0'))?.work?.epoch).toBe(1);
  expect(log.lines.filter((line) => line.level === 'warn')).toHaveLength(2);
});

test('an edge that does not apply its work is looked at again before the next minute', async () => {
  const { deps, looks } = stage(oneJob());
  await runPass(deps, id);
  expect(looks).toHaveLength(1);
  expect(looks[0]?.atMs).toBeLessThan(startMs + 60_000);
});

test('a cell whose pass failed is parked, and holds up nobody’s records', async () => {
  const { deps, memory, looks } = stage(oneJob());
  const load = async (cell: CellId) => {
    if (cell === 'broken.0') throw new Error('the table is away');
    return memory.load(cell);
  };
  const wakeups = new Map([
    [id, ['1']],
    [cellIdOf('broken.0'), ['2']],
  ]);
  const store = { ...deps.store, load };
  expect(await scheduleCells({ ...deps, store }, wakeups)).toEqual([]);
  const parked = looks.find(({ cell }) => cell === 'broken.0');
  expect(parked!.atMs - startMs).toBeGreaterThanOrEqual(parkedCellMs);
  expect(parked!.atMs - startMs).toBeLessThan(2 * parkedCellMs);
  // Without a timer nobody would look again: then the record comes back, and its own alone.
  const lookAgain = (cell: CellId) =>
    cell === 'broken.0' ? Promise.reject(new Error('the queue is away')) : Promise.resolve();
  const failed = await scheduleCells({ ...deps, store, timers: { lookAgain } }, wakeups);
  expect(failed).toEqual(['2']);
});

test('a plan that breaks an invariant is refused, logged and counted; the rest is committed', async () => {
  const nonsense = { done: rangeOf(0, 2), dead: rangeOf(1, 3) };
  const jobs = [makeJob('job-1', { slice: nonsense }), makeJob('job-2')];
  const { deps, memory, shadows, log } = stage(makeCell({ edges: makeEdges(2), jobs }));
  expect(await runPass(deps, id)).toBe('settled');
  const stored = await memory.load(id);
  expect(stored?.jobs.get(jobIdOf('job-1'))?.slice).toMatchObject(nonsense);
  expect(shadows.size).toBe(2);
  const [line] = log.lines.filter(({ level }) => level === 'error');
  expect(line).toMatchObject({ cell: id, sentence: 'job-1: 1 ended twice', jobs: ['job-1'] });
  expect(log.lines.some(({ RefusedPlans }) => RefusedPlans === 1)).toBe(true);
});

test.each([
  ['something of it is committed', [makeJob('job-1'), makeJob('job-2')]],
  ['nothing of it is', [makeJob('job-1')]],
])('what was read in two moments is no defect, and is not logged: %s', async (_, jobs) => {
  const memory = memoryOf(makeCell({ edges: makeEdges(2), jobs }));
  const torn = { done: rangeOf(0, 2), dead: rangeOf(1, 3), reportedReasons: ['inconsistent'] };
  let reads = 0;
  const load = async () => {
    const cell = await memory.load(id);
    if (cell === null || ++reads > 1) return cell;
    // Another pass commits while the second page is read.
    await runPass(stage(null, { store: memory }).deps, id);
    const [first] = jobs;
    const torns = { ...first!, slice: { ...first!.slice, ...torn } };
    return { ...cell, jobs: new Map(cell.jobs).set(first!.id, torns) };
  };
  const { deps, log } = stage(null, { store: { ...memory, load } });
  expect(await runPass(deps, id)).toBe('settled');
  expect(reads).toBe(2);
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('where every plan breaks one, nothing is committed and the cell is parked', async () => {
  const cell = oneJob();
  const { deps, looks, log } = stage(null, {
    store: {
      load: async () => ({ ...cell, meta: { ...cell.meta, version: Number.NaN } }),
      commit: () => Promise.reject(new Error('something was committed')),
    },
  });
  expect(await scheduleCells(deps, new Map([[id, ['1']]]))).toEqual([]);
  expect(looks).toEqual([{ cell: id, atMs: startMs + 1_000 + parkedCellMs }]);
  expect(log.lines.map(({ message }) => message)).toContain('a plan was refused');
});
