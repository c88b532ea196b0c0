import type { Cell, CellEdge, EdgeReport, EdgeWork, Lease } from '../../core/model/cell.ts';
import { newCellMeta, noEdgeWork } from '../../core/model/cell.ts';
import type { JobState } from '../../core/model/job.ts';
import { historyMinutes, rateIntervalMs } from '../../core/model/limits.ts';
import {
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
  poolOfCell,
} from '../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../core/model/ranges.ts';
import { newPool } from '../../core/ports/pools.ts';
import type { JobProgress } from '../../core/protocol/progress-report.ts';
import { makeIdentity } from '../contract/stored-fixture.ts';
import { makeEdge, makeJob, makeReport, plainConfig } from '../core/cell-fixture.ts';
import { type ApiStage, createApiStage } from '../lambdas/api/api-stage.ts';
import { seedMemory } from '../memory/seed.ts';
import { changeEdge, nothingStored, type Stored } from '../memory/stored.ts';
import { createMemoryStores } from '../memory/stores.ts';
import { addEndedJob, type EndedJob } from './ended-job.ts';

/**
 * A fleet for driving the dashboard: what passes, reports and users would have stored, generated
 * from a seed, under the handlers of the API. Its edges work on something that is no job of any
 * list, so that they have a load; what happens to it afterwards happens as everywhere.
 */
export type Fleet = {
  readonly stored: Stored;
  readonly api: ApiStage;
  readonly nowMs: number;
};

export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const pools = ['default', 'north', 'south'];
const sites = ['harbour', 'hill', 'mill', 'quarry'];

export async function makeFleet(
  edgeCount: number,
  jobCount: number,
  nowMs: number,
  seed = 7,
): Promise<Fleet> {
  const stored = nothingStored();
  const api = createApiStage(createMemoryStores(stored));
  const next = random(seed);
  const edges = new Map(pools.map((pool) => [pool, [] as CellEdge[]]));
  for (let number = 1; number <= edgeCount; number++) {
    const pool = pools[Math.floor(next() * pools.length)]!;
    edges.get(pool)!.push(someEdge(number, pool, nowMs, next));
  }
  for (const [pool, own] of edges) {
    if (own.length > 0) seedPool(stored, pool, own, nowMs);
  }
  for (let i = 0; i < jobCount; i++) {
    await addEndedJob(stored, api.services.outputs, someJob(i, jobCount, nowMs, next));
  }
  await api.settle();
  return { stored, api, nowMs };
}

/** The work that gives the edges of a pool their load. */
const loadOf = (pool: string): JobId => jobIdOf(`load-${pool}`);

function someEdge(number: number, pool: string, nowMs: number, next: () => number): CellEdge {
  const fate = next();
  const state = fate < 0.02 ? 'lost' : fate < 0.05 ? 'disconnected' : 'connected';
  const isCordoned = state === 'connected' && next() < 0.03;
  const power = 200 + 50 * Math.floor(next() * 5);
  const load = next() ** 0.6;
  const used = state === 'connected' && !isCordoned ? Math.floor(power * load) : 0;
  const awayMs = state === 'connected' ? next() * 20_000 : 20_000 + next() * 60_000;
  const lostAtMs = state === 'lost' ? nowMs - 60_000 : null;
  const cordoned = { reason: 'fan replaced on Tuesday', sinceMs: nowMs - 86_400_000 };
  const cell = cellIdOf(`${pool}.0`);
  return makeEdge(`edge-${number}`, {
    power,
    resources: { cores: 4, memoryMb: 8192 },
    labels: { site: sites[number % sites.length]!, rack: `r${number % 12}` },
    flat: {
      ...{ arch: 'arm64', kernel: '6.1.0', services: true },
      ...{ 'executors.simulate': true, 'executors.process': true },
    },
    config: isCordoned ? { cordoned } : {},
    report: reportOf(poolOfCell(cell), used, state === 'connected', nowMs - awayMs),
    work: { ...workOf(pool, used, nowMs), lostAtMs },
  });
}

/** One chunk a watt, all of them running. */
function workOf(pool: string, used: number, nowMs: number): EdgeWork {
  const chunks = rangeOf(0, used);
  const lease: Lease = {
    ranges: chunks,
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    heldBefore: emptyRanges,
    slots: used,
    running: chunks,
    grantedAtMs: nowMs - 60_000,
    startedAtMs: nowMs - 60_000,
    chunkMs: null,
    doneHere: emptyRanges,
    deadHere: emptyRanges,
  };
  const leases = used === 0 ? new Map() : new Map([[loadOf(pool), lease]]);
  return { ...noEdgeWork, epoch: 1, boot: 'boot', leases, writtenAtMs: nowMs - 60_000 };
}

function reportOf(pool: string, used: number, connected: boolean, atMs: number): EdgeReport {
  const entry: JobProgress = {
    done: emptyRanges,
    failed: new Map(),
    running: rangeOf(0, used),
    attempts: new Map(),
    chunkMs: null,
    refused: null,
  };
  const jobs = used === 0 ? new Map() : new Map([[loadOf(pool), entry]]);
  const progress = { boot: 'boot', epoch: 1, sequence: 1, freePower: 0, jobs };
  return makeReport({ progress, version: 1, receivedAtMs: atMs, connected, connectionAtMs: atMs });
}

function seedPool(stored: Stored, pool: string, edges: readonly CellEdge[], nowMs: number): void {
  const id = cellIdOf(`${pool}.0`);
  const moved = spread(edges, pool);
  const chunks = moved.reduce((sum, edge) => sum + usedOf(edge, pool), 0);
  const load = makeJob(loadOf(pool), {
    chunks: Math.max(1, chunks),
    chunkPower: 1,
    lostAfterSeconds: 86_400,
    intent: { submittedAtMs: nowMs - 60_000 },
    slice: { ranges: rangeOf(0, chunks) },
  });
  const cell: Cell = {
    meta: newCellMeta(id, pool, nowMs),
    edges: new Map(moved.map((edge) => [edge.name, edge])),
    jobs: chunks === 0 ? new Map() : new Map([[load.id, load]]),
    queues: new Map(),
    tickAtMs: nowMs,
  };
  stored.pools.set(pool, newPool(pool, nowMs));
  stored.poolCells.set(id, moved.length);
  seedMemory(stored, cell);
  for (const { name, facts } of moved) {
    const identity = { cell: id, credentials: [], enrolledAtMs: nowMs - 7_200_000 };
    stored.identities.set(name, makeIdentity(name, identity));
    const os = { name: 'debian', version: '12' };
    const software = { spack: '0.21' };
    const said = { arch: 'arm64', os, kernel: '6.1.0', software, address: '10.1.2.3' };
    stored.allFacts.set(name, { facts: said, version: 0, atMs: null });
    if (facts === null) throw new Error(`${name} has said nothing`);
  }
}

const usedOf = ({ work }: CellEdge, pool: string): number =>
  work?.leases.get(loadOf(pool))?.slots ?? 0;

/** No two edges hold the same chunk. */
function spread(edges: readonly CellEdge[], pool: string): CellEdge[] {
  let at = 0;
  return edges.map((edge) => {
    const lease = edge.work?.leases.get(loadOf(pool));
    const progress = edge.report?.progress;
    if (lease === undefined || progress == null) return edge;
    const chunks = rangeOf(at, at + lease.slots);
    at += lease.slots;
    const leases = new Map([[loadOf(pool), { ...lease, ranges: chunks, running: chunks }]]);
    const entry = { ...progress.jobs.get(loadOf(pool))!, running: chunks };
    const jobs = new Map([[loadOf(pool), entry]]);
    return {
      ...edge,
      work: { ...edge.work!, leases },
      report: { ...edge.report!, progress: { ...progress, jobs } },
    };
  });
}

const names = ['render', 'encode', 'index', 'simulate', 'train', 'survey', 'nightly-report'];
const reasons = ['chunks-failed', 'max-failed-chunks', 'deadline'];

function someJob(index: number, total: number, nowMs: number, next: () => number): EndedJob {
  const ageMs = ((index + 1) / total) * 3_600_000 * (0.4 + 0.6 * next());
  const fate = next();
  const chunks = 4 + Math.floor(next() * 200);
  const state: JobState =
    ageMs < 300_000 && fate < 0.7 ? 'running' : fate < 0.06 ? 'failed' : 'done';
  const createdAtMs = Math.floor(nowMs - ageMs);
  const done = state === 'done' ? chunks : Math.floor(chunks * next() * 0.9);
  return {
    id: jobIdOf(timeId(createdAtMs, index)),
    state,
    createdAtMs,
    endedAtMs: Math.min(nowMs, Math.floor(createdAtMs + 20_000 + ageMs * 0.2 * next())),
    spec: {
      name: `${names[index % names.length]}-${index}`,
      pool: pools[Math.floor(next() * pools.length)]!,
      queue: next() < 0.7 ? 'default' : 'bulk',
      power: 300 + Math.floor(next() * 200),
      chunks,
      labels: { team: index % 3 === 0 ? 'a' : 'b' },
    },
    done,
    dead: state === 'failed' ? Math.max(1, Math.floor((chunks - done) / 2)) : 0,
    reason: state === 'failed' ? reasons[index % reasons.length]! : null,
    edges: [edgeNameOf(`edge-${1 + (index % 5)}`), edgeNameOf(`edge-${6 + (index % 5)}`)],
  };
}

export function timeId(ms: number, number: number): string {
  return Math.floor(ms).toString(36).padStart(9, '0') + number.toString(36).padStart(9, '0');
}

/** The broker has not seen the edge since then, and a pass has called it lost. */
export function loseEdge({ stored }: Fleet, name: EdgeName, sinceMs: number): void {
  for (const [cell, { edges }] of stored.cells) {
    if (!edges.has(name)) continue;
    changeEdge(stored, cell, name, (edge) => {
      const times = { receivedAtMs: sinceMs, connectionAtMs: sinceMs };
      const report = { ...edge.report!, connected: false, ...times };
      return { ...edge, report, work: { ...edge.work!, lostAtMs: sinceMs } };
    });
  }
}

/** Every edge offers another power than before, and every running job has got on by a chunk. */
export function advance({ stored }: Fleet, next: () => number): void {
  for (const [cell, { edges }] of stored.cells) {
    for (const { name } of edges.values()) {
      const capacity = { power: 500 + Math.floor(next() * 500) };
      changeEdge(stored, cell, name, (edge) => ({ ...edge, config: { ...plainConfig, capacity } }));
    }
  }
  for (const rows of stored.jobs.values()) {
    const { status } = rows;
    if (status?.state !== 'running' || status.counts.pending === 0) continue;
    const { pending, done } = status.counts;
    const counts = { ...status.counts, pending: pending - 1, done: done + 1 };
    rows.status = { ...status, counts, donePower: status.donePower + status.chunking.chunkPower };
  }
}

/** An hour with a slow beginning and one busy minute. */
export function countHour({ stored, nowMs }: Fleet): void {
  for (let minute = 2; minute < historyMinutes; minute++) {
    const atMs = nowMs - (historyMinutes - minute) * 60_000;
    const chunks = minute === 40 ? 500 : minute * 4;
    stored.rates.set(Math.floor(atMs / rateIntervalMs), { chunks, jobs: Math.floor(minute / 10) });
  }
}
