import type { AcceptRefusal } from '../../../core/contract/clusters/accept-refusal.ts';
import {
  type AcceptAnswer,
  acceptBodySchema,
  type ReleaseAnswer,
  releaseBodySchema,
} from '../../../core/contract/clusters/offer-body.ts';
import { invalid, notFound } from '../../../core/contract/problem.ts';
import { submissionStatus } from '../../../core/jobs/submission-status.ts';
import { isFinal } from '../../../core/model/job.ts';
import { type EdgeName, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges, parseRanges } from '../../../core/model/ranges.ts';
import type { StoredEdge } from '../../../core/ports/edges.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { accept, release, type TakenLease, type Wanted } from '../../../core/scheduler/accept.ts';
import { decideInCell } from '../../workers/schedule/decide-in-cell.ts';
import { noteContact } from '../edge-link/note-contact.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import { type Answer, type Call, callerOf, checkQuery, edgeOfPath } from '../http/call.ts';
import { onceFor } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { timeOf } from '../jobs/view/job-view.ts';
import { jobsOfSubmission } from '../jobspecs/submission-view.ts';
import { contextOf } from '../operation.ts';
import type { Ports } from '../ports.ts';
import type { DocumentPorts } from './offer-view.ts';

/**
 * `POST /v1/edges/{name}/accept` and `…/release`: an edge in pull mode takes work that it was
 * offered, or gives back what it has not begun. Each job is decided in its cell and committed with
 * the cell's version, so of two that take the same one gets it.
 */
export const acceptOffers = { handle: takeOffers };
export const releaseWork = { handle: giveBack };

type Deps = DocumentPorts &
  Pick<Ports, 'edges' | 'jobs' | 'inventory' | 'idempotency' | 'passes' | 'log' | 'clock'>;

async function takeOffers(call: Call, deps: Deps): Promise<Answer> {
  checkQuery(call, []);
  const name = edgeOfPath(call);
  const { jobs, ranges, fits } = readBody(call, acceptBodySchema);
  const wanted = [...new Set(jobs)].map((job) => ({ ...wantedOf(job, ranges), fits }));
  return onceFor(call, deps.idempotency, async () => {
    const edge = await visibleEdge(name, callerOf(call), deps);
    await makeContact(call, deps, edge);
    const taken = await takeAll(deps, edge, wanted);
    const refused = await withEnded(deps, name, taken.refused);
    const until = (lease: TakenLease) => timeOf(deps.clock.nowMs() + lease.graceMs);
    const body: AcceptAnswer = {
      status: refused.length === 0 ? 'success' : 'partial',
      accepted: [...taken.accepted],
      refused,
      leases: taken.leases.map((lease) => ({
        job: lease.job,
        chunks: formatRanges(lease.chunks),
        slots: lease.slots,
        until: until(lease),
      })),
    };
    return { status: 200, body };
  });
}

function wantedOf(job: string, ranges: Readonly<Record<string, string>>): Wanted {
  const text = Object.hasOwn(ranges, job) ? ranges[job] : undefined;
  if (text === undefined) return { job: jobIdOf(job), chunks: null };
  const chunks = parseRanges(text);
  if (chunks === null) throw invalid(`/ranges/${job}`, 'These are no ranges, like 0-9,12.');
  return { job: jobIdOf(job), chunks };
}

type Taken = {
  readonly accepted: readonly JobId[];
  readonly leases: readonly TakenLease[];
  readonly refused: ReadonlyMap<JobId, AcceptRefusal>;
};

/** As many plans as it takes; each makes progress, or nothing is left. */
async function takeAll(deps: Deps, edge: StoredEdge, wanted: readonly Wanted[]): Promise<Taken> {
  const leases: TakenLease[] = [];
  const accepted: JobId[] = [];
  const refused = new Map<JobId, AcceptRefusal>();
  for (let left = wanted; left.length > 0; ) {
    const asked = left;
    const decided = await decideInCell(deps.passes, edge.cell, (cell, nowMs, shared) =>
      accept(cell, edge.name, asked, nowMs, shared),
    );
    if (decided === 'no-cell') throw notFound(`edge "${edge.name}"`);
    if (decided === 'contended' || decided.left.length === asked.length) {
      if (accepted.length + refused.size === 0) throw contended();
      for (const { job } of asked) refused.set(job, 'held');
      break;
    }
    accepted.push(...decided.accepted);
    leases.push(...decided.leases);
    for (const [job, reason] of decided.refused) refused.set(job, reason);
    left = decided.left;
  }
  return { accepted, leases, refused };
}

/** What has left its cell: of what was this edge's to take it is said that it is over. */
async function withEnded(
  deps: Deps,
  name: EdgeName,
  refused: ReadonlyMap<JobId, AcceptRefusal>,
): Promise<AcceptAnswer['refused']> {
  const unknown = [...refused].flatMap(([job, reason]) => (reason === 'not-offered' ? [job] : []));
  const found = unknown.length === 0 ? [] : await deps.jobs.findMany(unknown);
  const ended = new Set(
    found.flatMap(({ job, status }) =>
      isFinal(status.state) && job.spec.requires.edges.some((it) => it === name) ? [job.id] : [],
    ),
  );
  const jobs = new Set(found.map(({ job }) => job.id));
  for (const id of unknown) {
    if (!jobs.has(id) && (await isEndedJobspec(deps, name, id))) ended.add(id);
  }
  return [...refused].map(([job, reason]) => ({ job, reason: ended.has(job) ? 'ended' : reason }));
}

async function isEndedJobspec(deps: Deps, name: EdgeName, id: JobId): Promise<boolean> {
  const submission = await deps.submissions.find(id);
  if (submission?.cluster !== name) return false;
  const jobs = await jobsOfSubmission(submission, deps);
  return isFinal(submissionStatus(submission, jobs).state);
}

/** Asking is a sign of life; the first one of an edge that has never said anything is a report. */
async function makeContact(call: Call, deps: Deps, edge: StoredEdge): Promise<void> {
  const caller = callerOf(call);
  if (caller.kind !== 'edge') return;
  if (edge.report !== null) return noteContact(caller, call.nowMs, deps);
  const progress = parseProgressReport({ b: '', e: 0, n: null, f: 0, w: {} })!;
  const at = { edge: edge.name, atMs: call.nowMs, version: null };
  await deps.inventory.store(edge.cell, { kind: 'prog', ...at, progress });
}

async function giveBack(call: Call, deps: Deps): Promise<Answer> {
  checkQuery(call, []);
  const name = edgeOfPath(call);
  const { jobs, reason } = readBody(call, releaseBodySchema);
  const edge = await visibleEdge(name, contextOf(call).caller, deps);
  const released: { job: string; chunks: string }[] = [];
  const refused: ReleaseAnswer['refused'] = [];
  for (let left: readonly JobId[] = [...new Set(jobs)].map(jobIdOf); left.length > 0; ) {
    const asked = left;
    const decided = await decideInCell(deps.passes, edge.cell, (cell, nowMs, shared) =>
      release(cell, name, asked, reason, nowMs, shared),
    );
    if (decided === 'no-cell') throw notFound(`edge "${name}"`);
    if (decided === 'contended' || decided.left.length === asked.length) throw contended();
    released.push(
      ...decided.released.map(({ job, chunks }) => ({ job, chunks: formatRanges(chunks) })),
    );
    refused.push(...[...decided.refused].map(([job, why]) => ({ job, reason: why })));
    left = decided.left;
  }
  const status = refused.length === 0 ? 'success' : 'partial';
  return { status: 200, body: { status, released, refused } };
}
