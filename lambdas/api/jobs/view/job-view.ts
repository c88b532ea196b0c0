import type {
  ExecutionAnswer,
  JobAnswer,
  JobStatusAnswer,
  WaitingAnswer,
} from '../../../../core/contract/job-answer.ts';
import { receiptOf } from '../../../../core/jobs/receipt.ts';
import { powerOf } from '../../../../core/model/job.ts';
import { type JobStatus, percentOf } from '../../../../core/model/job-status.ts';
import { executionsShownMax } from '../../../../core/model/limits.ts';
import type { Execution, WaitingCount } from '../../../../core/model/plan.ts';
import { count, formatRanges } from '../../../../core/model/ranges.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import { chunkPowerOf } from '../../../../core/protocol/agent-spec.ts';
import { partsOf } from '../../../../core/services/execution-parts.ts';
import type { ServiceCounts } from '../../../../core/services/service.ts';

/** How a job looks from outside. Built in one place, so that REST, lists and the graph agree. */
export function jobView(found: JobWithStatus, executions: readonly Execution[]): JobAnswer {
  const { job, status } = found;
  return {
    id: job.id,
    name: job.spec.name,
    spec: withoutSecret(job.spec) as unknown as JobAnswer['spec'],
    generation: job.generation,
    createdAt: timeOf(job.createdAtMs),
    createdBy: job.createdBy,
    status: statusView(status, executions),
  };
}

/** The answer that makes a job: the one that has the secret its end is signed with. */
export function newJobView(found: JobWithStatus, executions: readonly Execution[]): JobAnswer {
  const { onEnd } = found.job.spec;
  const view = jobView(found, executions);
  return onEnd === undefined ? view : { ...view, spec: { ...view.spec, onEnd } };
}

/** Of a spec or a body. */
export function withoutSecret<T extends { readonly onEnd?: { readonly url: string } }>(job: T): T {
  return job.onEnd === undefined ? job : { ...job, onEnd: { url: job.onEnd.url } };
}

function statusView(status: JobStatus, executions: readonly Execution[]): JobStatusAnswer {
  return {
    state: status.state,
    percent: percentOf(status),
    chunks: status.counts,
    startedAt: timeOrNull(status.startedAtMs),
    endedAt: timeOrNull(status.endedAtMs),
    reason: status.reason,
    ...(status.service !== undefined && { service: serviceView(status.service) }),
    executions: executions
      .slice(0, executionsShownMax)
      .flatMap((execution) => executionViews(status, execution)),
    waiting: status.waiting.map(waitingView),
    receipt: receiptOf(status, executions),
  };
}

function serviceView({ wanted, ready, restarts, rollout }: ServiceCounts) {
  const { generation, state, updated, reason } = rollout ?? {
    generation: 1,
    state: 'done' as const,
    updated: wanted,
    reason: null,
  };
  return {
    wanted,
    ready,
    updated: Math.min(updated, wanted),
    unavailable: Math.max(0, wanted - ready),
    restarts,
    generation,
    rollout: state,
    rolloutReason: reason,
  };
}

/** While an edge holds several generations of a service, one for each. */
export function executionViews(status: JobStatus, execution: Execution): ExecutionAnswer[] {
  return partsOf(status.chunking, execution).map((part) => executionView(status, part));
}

export function executionView(
  status: Pick<JobStatus, 'chunking' | 'service'>,
  execution: Execution,
): ExecutionAnswer {
  const all = powerOf(status.chunking, execution.chunks);
  const done = powerOf(status.chunking, execution.done);
  let worked = done;
  for (const [chunk, percent] of execution.percents ?? []) {
    worked += Math.floor((chunkPowerOf(status.chunking, chunk) * percent) / 100);
  }
  const complete = count(execution.chunks) > 0 && done >= all;
  return {
    edge: execution.edge,
    ...generationIn(status, execution),
    chunks: formatRanges(execution.chunks),
    power: execution.power,
    percent: complete ? 100 : Math.min(99, all === 0 ? 0 : Math.floor((worked * 100) / all)),
    done: formatRanges(execution.done),
    running: formatRanges(execution.running),
    dead: formatRanges(execution.dead),
    startedAt: timeOrNull(execution.startedAtMs === 0 ? null : execution.startedAtMs),
    endedAt: timeOrNull(execution.endedAtMs),
  };
}

function generationIn({ service }: Pick<JobStatus, 'service'>, { generations }: Execution) {
  if (service === undefined) return {};
  const held = [...(generations?.keys() ?? [])];
  return held.length > 1 ? {} : { generation: held[0] ?? service.rollout?.generation ?? 1 };
}

export function waitingView(waiting: WaitingCount): WaitingAnswer {
  return {
    reason: waiting.reason,
    chunks: waiting.chunks,
    edges: waiting.edges,
    examples: [...waiting.examples],
    detail: waiting.detail,
  };
}

export function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function timeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : timeOf(atMs);
}
