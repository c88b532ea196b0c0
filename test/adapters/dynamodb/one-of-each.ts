import type { FleetEvent } from '../../../core/events/fleet-event.ts';
import { cancelRanges, type JobRangesCancel } from '../../../core/jobs/cancel-ranges.ts';
import { type Lease, newSlice } from '../../../core/model/cell.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import type { Submission } from '../../../core/model/submission.ts';
import { newPool } from '../../../core/ports/pools.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import type { Schedule } from '../../../core/schedules/schedule.ts';
import type { Delivery, Webhook } from '../../../core/webhooks/webhook.ts';
import { makeDigest, makeRecord } from '../../contract/clusters.ts';
import {
  auditOf,
  cellStatus,
  chunkEnd,
  commit,
  enrol,
  executionOf,
  makeCreation,
  north,
  submit,
  traceOf,
} from '../../contract/stored-fixture.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { startMs } from '../../core/cell-fixture.ts';
import { storeService } from './one-service.ts';
import { storeShelf } from './one-shelf.ts';

const edge = edgeNameOf('edge-1');
const [parent, job, ended, asked] = ['job-a', 'job-b', 'job-c', 'job-d'].map(jobIdOf);

/** Stores one of everything that there is, with nothing in it that is as if it were not there. */
export async function storeOneOfEach(stores: Stores): Promise<void> {
  await storeFleet(stores);
  await storeJobs(stores);
  await storeAccess(stores);
}

async function storeFleet(stores: Stores): Promise<void> {
  const fast = { name: 'fast', weight: 3, strict: true, quota: 500, version: 1 };
  await stores.queues.put(fast, null);
  const identity = await enrol(stores, edge, {
    keyHash: 'key',
    certificateId: 'certificate-2',
    certificate: 'PEM',
    previousCertificateId: 'certificate-1',
    renewedAtMs: startMs + 1,
    credentials: ['secret-1', 'secret-2'],
  });
  await stores.clusters.save(makeRecord(edge), makeDigest(2), null);
  const pool = {
    ...newPool('default', startMs),
    description: 'All.',
    policy: 'pack' as const,
    edgeCapacityMax: { power: 500 },
  };
  await stores.pools.put({ ...pool, version: 1 }, 0);
  await stores.edges.markRemoving(identity, startMs + 2);
  const config = {
    labels: { rack: '7' },
    capacity: { power: 200 },
    cordoned: { reason: 'repair', sinceMs: startMs },
    drain: { reason: 'repair', deadlineAtMs: startMs + 9 },
    removing: { force: true },
  };
  await stores.edges.configure(north, edge, config, 1);
  await stores.fleet.touch(north, startMs + 60_000);
  await tell(stores);
}

async function tell({ inventory }: Stores): Promise<void> {
  const entry = { d: '0-2', x: { 4: 'timeout' }, a: '5', t: '5:2', m: 1_500, q: 'no such program' };
  const report = { b: 'boot-1', e: 7, n: 12, f: 100, w: { 'job-b': entry } };
  const progress = parseProgressReport(report)!;
  const at = { edge, atMs: startMs + 3, version: 4 };
  await inventory.store(north, { kind: 'prog', progress, ...at });
  await inventory.store(north, { kind: 'connected', ...at });
  await inventory.store(north, { kind: 'contact', edge, atMs: startMs + 5, version: null });
  const facts = { capacity: { power: 250, memory: 4 }, labels: { site: 'north' }, facts: { a: 1 } };
  await inventory.store(north, { kind: 'facts', facts, ...at });
}

async function storeJobs(stores: Stores): Promise<void> {
  await submit(stores, parent!);
  const parents = [(await stores.jobs.find(parent!))!];
  await submit(stores, job!, { parents, labels: { team: 'a' } });
  const { request, answer } = firstAnswer;
  const kept = { request, answer, atMs: startMs };
  const part = { id: jobIdOf('jobspec-a'), tasks: 3 };
  const made = makeCreation(asked!);
  const of = { ...made, job: { ...made.job, submission: part } };
  const intents = [...of.intents].map(([cell, it]) => {
    return [cell, { ...it, intent: { ...it.intent, submission: part } }] as const;
  });
  const creation = { ...of, intents: new Map(intents) };
  await stores.changes.create(creation, kept, auditOf(asked!));
  const found = (await stores.jobs.find(asked!))!;
  const fewer = cancelRanges(found, await stores.changes.cellsOf(found.job), rangeOf(2, 4));
  await stores.changes.commit(fewer as JobRangesCancel, traceOf(asked!));
  await submit(stores, ended!);
  const counted = cellStatus(job!, { done: rangeOf(0, 3), dead: rangeOf(4, 5), ...early });
  await commit(stores, north, {
    works: new Map([[edge, work]]),
    slices: new Map([[job!, slice]]),
    endedJobs: new Set([ended!]),
    jobStatuses: new Map([
      [job!, counted],
      [ended!, cellStatus(ended!, { endedAtMs: startMs + 8 })],
    ]),
    executions: [executionOf(job!, edge, { dead: rangeOf(3, 4), endedAtMs: startMs + 6 })],
    chunkEnds: [chunkEnd(job!, 4)],
  });
  await stores.jobs.keepOutput(job!, 4, { key: 'outputs/4', bytes: 99, totalBytes: 900 });
  await stores.live.saveWishes(edge, 0, [{ job: job!, chunk: 4, untilMs: startMs }], startMs);
  const printed = { edge, attempt: 2, offset: 7, bytes: 3, text: Buffer.from('abc'), key: null };
  await stores.live.keepPart(job!, 4, { ...printed, isMore: true, isLast: true }, startMs);
  const event = { id: 'job-b.job.done.1', atMs: startMs, kind: 'job.done', job: job!, name: 'b' };
  const where = { edge: null, pool: 'default', queue: 'fast', jobspec: 'spec', detail: 'Done.' };
  await stores.fleetLog.append([{ ...event, ...where }], startMs);
  const far = { text: null, key: 'outputs/4/10', offset: 10, isMore: false, isLast: false };
  await stores.live.keepPart(job!, 4, { ...printed, ...far }, startMs);
  await fold(stores);
  await storeService(stores);
  await storeShelf(stores);
}

const waiting = {
  reason: 'no-free-power' as const,
  chunks: 3,
  edges: 1,
  examples: [edge],
  detail: 'Why.',
};
const early = { waiting: [waiting], reason: 'deadline', endedAtMs: startMs + 7, retryEpoch: 2 };

const slice = {
  ...newSlice(rangeOf(0, 8)),
  done: rangeOf(0, 3),
  dead: rangeOf(4, 5),
  cancelled: rangeOf(7, 8),
  retries: new Map([[5, { failures: 2, dueAtMs: startMs + 4, last: 'timeout' }]]),
  losses: new Map([[6, 1]]),
  refusals: new Map([[edge, { reason: 'no such program', atMs: startMs }]]),
  retryEpoch: 2,
  revived: rangeOf(5, 6),
  attemptBase: 3,
  attemptsUsed: 5,
  reportedReasons: ['no-free-power', 'attempts'],
  startedAtMs: startMs + 2,
  workedPower: 340,
  doneBeforeReopening: new Map([[edge, rangeOf(0, 1)]]),
};

const lease: Lease = {
  ranges: rangeOf(2, 8),
  reclaiming: rangeOf(6, 8),
  reclaimEpoch: 8,
  slots: 2,
  running: rangeOf(2, 3),
  grantedAtMs: startMs + 2,
  startedAtMs: startMs + 1,
  chunkMs: 1_500,
  heldBefore: rangeOf(9, 10),
  doneHere: rangeOf(0, 2),
  deadHere: rangeOf(4, 5),
  percents: new Map([[2, 40]]),
  slice: {
    reportedReasons: ['no-free-power'],
    countedAs: 'running',
    lastEventAtMs: startMs + 4,
    startedAtMs: startMs + 3,
    workedPower: 340,
  },
};
const plain = { reclaiming: emptyRanges, reclaimEpoch: null, running: emptyRanges };
const none = {
  chunkMs: null,
  heldBefore: emptyRanges,
  doneHere: emptyRanges,
  deadHere: emptyRanges,
};
const { percents: _percents, slice: _slice, ...silent } = lease;
const fresh: Lease = { ...silent, ...plain, ...none, startedAtMs: lease.grantedAtMs };

const work = {
  epoch: 8,
  acknowledgedSequence: 12,
  boot: 'boot-1',
  leases: new Map([
    [job!, lease],
    [parent!, fresh],
  ]),
  writtenAtMs: startMs + 5,
  rewrites: 1,
  removed: [ended!],
  lostAtMs: startMs + 6,
  failuresInRow: 4,
  quarantinedUntilMs: startMs + 7,
  foreignResults: 2,
  totals: { chunksDone: 3, powerServed: 30 },
  taken: [{ id: jobIdOf('jobspec-a'), fits: true }],
};

async function fold({ rollups }: Stores): Promise<void> {
  const { status } = (await rollups.load(job!))!;
  const next = {
    ...status,
    version: status.version + 1,
    state: 'failed' as const,
    donePower: 300,
    workedPower: 340,
    startedAtMs: startMs + 2,
    endedAtMs: startMs + 9,
    reason: 'dependency-failed',
    waiting: [waiting],
    dependencyFailed: true,
    failedDependency: jobIdOf('job-a'),
    countedAs: 'failed' as const,
  };
  const event = { atMs: startMs + 9, kind: 'failed', by: 'scheduler', detail: 'A job failed.' };
  const rollup = { next, changed: true, release: [], cancel: [], events: [event] };
  const progress = { chunks: 3, jobs: 1 };
  await rollups.save(status, { ...rollup, settleDependants: true, progress });
  await rollups.countProgress(progress, startMs + 9);
}

const firstAnswer = {
  request: { owner: 'token:ci', key: 'once', digest: 'digest' },
  answer: { status: 202, headers: { location: '/v1/jobs/job-d' }, body: 'sealed' },
};

const submission: Submission = {
  id: jobIdOf('jobspec-a'),
  name: 'weather',
  pool: 'default',
  queue: 'fast',
  createdAtMs: startMs,
  createdBy: 'token:ci',
  text: 'version: 1',
  cluster: 'blue',
  placing: {
    to: { kind: 'cluster', edge: 'blue', executor: 'flux' },
    chosen: new Map([['/tasks/0/resources', 'cpu']]),
  },
  decision: { algorithm: 'first' },
  asked: { clusters: ['blue'], select: { algorithm: 'first' }, together: 'pool' },
  staged: { data: { sha256: 'ab' } },
  labels: { team: 'storms' },
  jobs: [{ unit: 'a', id: jobIdOf('job-s'), after: ['b'] }],
  impossible: ['a'],
  isOpen: true,
  waits: true,
  lookedAtMs: startMs + 2,
  cancelledAtMs: startMs + 1,
  version: 2,
};

const run = {
  atMs: startMs,
  madeAtMs: startMs + 1,
  job: 'nightly-20260101t0300z',
  outcome: 'made',
  detail: '',
} as const;
const schedule: Schedule = {
  name: 'nightly',
  pool: 'default',
  queue: 'fast',
  cron: '0 3 * * *',
  everySeconds: null,
  timezone: 'Europe/Berlin',
  job: { run: { simulate: { seconds: 1 } } },
  overlap: 'skip',
  catchUp: 'one',
  startAtMs: startMs,
  endAtMs: startMs + 1,
  paused: false,
  createdAtMs: startMs,
  createdBy: 'token:ci',
  version: 1,
  turn: 2,
  nextAtMs: startMs + 1,
  lastRun: run,
  lastJob: run.job,
  busyUntilMs: startMs + 2,
};

const webhook: Webhook = {
  ...{ id: 'hook', url: 'https://a', kinds: ['job.done'], pool: 'p', job: 'j', secret: 'x' },
  sees: { scopes: ['jobs:read'], pool: null, queue: null },
  ...{ createdAtMs: startMs, createdBy: 'token:ci' },
};
const sent: Delivery = {
  ...{ position: { batch: 1, events: 2 }, failures: 3, failingSinceMs: 4, nextAtMs: 5 },
  last: { atMs: 6, event: 'e', status: null, error: 'x' },
  ...{ missedBeforeMs: 7, busyUntilMs: 8, turn: 9 },
};

const told: FleetEvent = {
  ...{ id: 'job-c.job.done.1', atMs: startMs, kind: 'job.done', job: ended!, name: 'c' },
  ...{ edge: null, pool: 'default', queue: 'fast', jobspec: null, detail: 'All is done.' },
};

async function storeAccess(stores: Stores): Promise<void> {
  const { tokens, audit, submissions, schedules, webhooks, endNotices } = stores;
  await endNotices.add(ended!, told, startMs + 1);
  const hooked = { by: 'token:ci', action: 'webhook-created', target: 'z', requestId: 'r-4' };
  await webhooks.create(webhook, sent, { atMs: startMs, ...hooked });
  const made = { by: 'token:ci', action: 'schedule-created', target: 'y', requestId: 'r-3' };
  await schedules.create({ ...schedule, turn: 1 }, { atMs: startMs, ...made });
  await schedules.save(schedule, 1, [run]);
  const trace = { by: 'token:ci', action: 'jobspec-submitted', target: 'x', requestId: 'r-2' };
  await submissions.create(submission, null, { atMs: startMs, ...trace });
  await tokens.create({
    hash: 'hash',
    id: 'id',
    name: 'ci',
    edges: null,
    scopes: ['jobs:read', 'jobs:write'],
    pool: 'default',
    queue: 'fast',
    edge: 'edge-1',
    usesLeft: 3,
    createdAtMs: startMs,
    createdBy: 'admin',
    expiresAtMs: startMs + 1,
  });
  const event = { by: 'token:ci', action: 'pool-changed', target: 'default', requestId: 'r-1' };
  await audit.add({ atMs: startMs, ...event });
}
