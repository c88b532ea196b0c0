import { expect } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import type { Requires } from '../../../core/model/job.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  formatRanges,
  fromChunks,
  has,
} from '../../../core/model/ranges.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import type { RolloutWish } from '../../../core/services/rollout-wish.ts';
import type { Update } from '../../../core/services/service.ts';
import { type JobOptions, makeCell, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { leaseOf, type ReportedJob, slice, withReport } from '../stage.ts';

/** A service in a cell, and what its edges say of it. */
export const web = jobIdOf('web');

export const service = {
  restart: {
    policy: 'always' as const,
    backoffSeconds: 1,
    backoffSecondsMax: 8,
    resetAfterSeconds: 60,
  },
  ready: { afterSeconds: 1 },
  stopGraceSeconds: 10,
};

const update: Update = {
  maxUnavailable: 1,
  minReadySeconds: 5,
  onFailure: 'rollback',
  failAfterSeconds: 60,
};

export function serviceOptions(chunks: number, how: Partial<Update>): JobOptions {
  return {
    ...service,
    update: { ...update, ...how },
    chunks,
    chunkPower: 100,
    kind: 'service',
    intent: { foldedByCell: true },
  };
}

export function serviceStage(
  chunks: number,
  edges: number,
  how: Partial<Update> = {},
  power = 250,
): Cell {
  const options = serviceOptions(chunks, how);
  const flat = { services: true };
  const cell = makeCell({
    edges: makeEdges(edges, { power, flat }),
    jobs: [makeJob(web, options)],
  });
  return allReady(settle(cell, startMs), startMs + 2_000);
}

/** Passes until nothing is left to decide now, each held against the invariants. */
export function settle(cell: Cell, atMs: number): Cell {
  let at = cell;
  for (let passes = 0; passes < 50; passes++) {
    const plan = reconcile(at, atMs);
    expect(violationsOf(at, plan)).toEqual([]);
    if (plan.meta === null) return at;
    at = applyPlan(at, plan);
  }
  throw new Error('it never comes to rest');
}

/** What an edge says when all it holds runs, each as the start that it is asked for. */
export function said(cell: Cell, edge: string, ready: string | null = null): ReportedJob {
  const ranges = leaseOf(cell, edge, web)?.ranges;
  const { retries } = slice(cell, web);
  const starts = Map.groupBy(chunksOf(ranges ?? emptyRanges), (chunk) => {
    return (retries.get(chunk)?.failures ?? 0) + 1;
  });
  const attempts = [...starts].map(([attempt, chunks]): [number, string] => {
    return [attempt, formatRanges(fromChunks(chunks))];
  });
  const running = formatRanges(ranges ?? emptyRanges);
  return { running, ready: ready ?? running, attempts: attempts.filter(([it]) => it > 1) };
}

/** Every edge reports that all it holds runs and is ready. */
export function allReady(cell: Cell, atMs: number): Cell {
  let at = cell;
  for (const edge of cell.edges.values()) {
    if (edge.report?.connected !== true) continue;
    at = withReport(at, edge.name, { [web]: said(at, edge.name) }, atMs);
  }
  return settle(at, atMs);
}

/** Edges are asked, and say at once that all is still ready. */
export function stillReady(cell: Cell, atMs: number): Cell {
  return allReady(settle(cell, atMs), atMs);
}

/** Its user wants another generation: the hash, and what it asks of edges. */
export function wanting(
  cell: Cell,
  generation: number,
  change: {
    readonly requires?: Partial<Requires>;
    readonly resources?: Readonly<Record<string, number>>;
    readonly restart?: RolloutWish['restart'];
  } = {},
): Cell {
  const before = cell.jobs.get(web)!;
  const { intent } = before;
  const wish = intent.rollout ?? { generation: 1, earlier: [], restart: null };
  const { spec, specHash } = intent;
  const { requires, resources } = spec;
  const was = { generation: wish.generation, specHash, executor: 'simulate' as const };
  const isNew = generation > wish.generation;
  const next = {
    ...intent,
    specHash: isNew ? `hash-${generation}` : specHash,
    spec: {
      ...spec,
      requires: { ...requires, ...change.requires },
      resources: change.resources ?? resources,
    },
    rollout: {
      generation,
      earlier: isNew ? [...wish.earlier, { ...was, requires, resources }] : wish.earlier,
      restart: change.restart ?? wish.restart,
    },
  };
  return { ...cell, jobs: new Map(cell.jobs).set(web, { ...before, intent: next }) };
}

/** Numbers of instances that are ready now. */
export function readyIn(cell: Cell): number[] {
  return [...cell.edges.keys()]
    .flatMap((edge) => [...chunksOf(leaseOf(cell, edge, web)?.ready ?? emptyRanges)])
    .sort((a, b) => a - b);
}

export function rolloutIn(cell: Cell) {
  return slice(cell, web).rollout!;
}

/** By which hash edges are to run each instance. */
export function hashesIn(cell: Cell): Record<number, string> {
  const hashes: Record<number, string> = {};
  for (const edge of cell.edges.values()) {
    const entry = edge.work && workOf(edge.work, cell.jobs).jobs.get(web);
    if (entry == null) continue;
    for (const chunk of chunksOf(entry.ranges)) {
      const held = [...(entry.generations?.values() ?? [])];
      const own = held.find(({ ranges }) => has(ranges, chunk));
      hashes[chunk] = (own ?? entry).specHash;
    }
  }
  return hashes;
}
