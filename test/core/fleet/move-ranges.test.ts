import { expect, test } from 'vitest';
import { chooseRanges, type Move, moveRanges } from '../../../core/fleet/move-ranges.ts';
import type { Cell } from '../../../core/model/cell.ts';
import { cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import { count, intersect, rangeOf, union } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { makeCell, makeCellStatus, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { checkChunks } from '../invariants.ts';
import { rest, slice } from '../stage.ts';

const job = jobIdOf('job-a');

const emptyStatus = makeCellStatus(job, { endedAtMs: startMs });

function idle(): Cell {
  const cell = makeCell({ edges: makeEdges(4) });
  return { ...cell, meta: { ...cell.meta, id: cellIdOf('default.1') } };
}

function moved(from: Cell, to: Cell, power: number): Move | null {
  return moveRanges(
    from,
    to,
    chooseRanges(from, to, { power, stranded: false }, startMs),
    new Map(),
    startMs,
  );
}

test('waiting chunks move whole: in two plans, each against its own version', () => {
  const full = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 40 })] }),
    startMs,
  ).cell;
  const target = idle();
  const move = moved(full, target, 800)!;
  expect(move.from.seenVersion).toBe(full.meta.version);
  expect(move.to.seenVersion).toBe(target.meta.version);
  expect(move.intents.get(job)).toBe(full.jobs.get(job)!.intent);
  const source = applyPlan(full, move.from);
  const arrived = {
    ...target,
    jobs: new Map([
      [job, { id: job, intent: move.intents.get(job)!, slice: move.to.slices.get(job)! }],
    ]),
  };
  const after = applyPlan(arrived, move.to);
  expect(count(slice(after, job).ranges)).toBe(8);
  expect(intersect(slice(source, job).ranges, slice(after, job).ranges)).toEqual([]);
  expect(union(slice(source, job).ranges, slice(after, job).ranges)).toEqual([0, 40]);
  checkChunks(source);
  expect(
    move.from.jobStatuses.get(job)!.counts.total + move.to.jobStatuses.get(job)!.counts.total,
  ).toBe(40);
  const { cell } = rest(after, startMs);
  checkChunks(cell);
  expect(cell.meta.summary.edges.busy).toBe(4);
  expect(moved(source, cell, 200)!.intents.size).toBe(0);
});

test('nothing moves where nobody may run it, nor what must stay together', () => {
  const requires = { labels: { site: 'south' }, expressions: [], edges: [] };
  const placement = { policy: 'spread' as const, maxEdges: 1, nodes: null };
  const retried = { retries: new Map([[0, { failures: 1, dueAtMs: 0, last: 1 }]]) };
  for (const options of [
    { requires },
    { placement },
    { intent: { cancelled: true } },
    { chunks: 1, slice: retried },
  ]) {
    const full = makeCell({ jobs: [makeJob(job, options)] });
    expect(moved(full, idle(), 10_000)).toBeNull();
  }
});

test('a job that ended in the target before goes on from what it was there', () => {
  const full = makeCell({
    jobs: [makeJob(job, { chunks: 40, slice: { ranges: rangeOf(10, 40) } })],
  });
  const ended = { done: rangeOf(0, 10), startedAtMs: startMs };
  const status = { ...emptyStatus, ...ended };
  const histories = new Map([[job, { ended: status, executions: [] }]]);
  const chosen = chooseRanges(full, idle(), { power: 800, stranded: false }, startMs);
  const arrived = moveRanges(full, idle(), chosen, histories, startMs)!.to.slices.get(job)!;
  expect(count(arrived.done)).toBe(10);
  expect(count(arrived.ranges)).toBe(18);
});

test('what no edge here is of the right kind for moves whole, a gang too', () => {
  const requires = { labels: { site: 'south' }, expressions: [], edges: [] };
  const placement = { policy: 'spread' as const, maxEdges: 2, nodes: null };
  const full = makeCell({
    edges: makeEdges(3),
    jobs: [makeJob(job, { chunks: 40, requires, placement })],
  });
  const target = makeCell({ edges: makeEdges(4, { labels: { site: 'south' } }) });
  expect(rest(full, startMs).cell.meta.summary.strandedPower).toBe(4_000);
  const chosen = chooseRanges(full, target, { power: 1, stranded: true }, startMs);
  expect(count(chosen.get(job)!)).toBe(40);
});
