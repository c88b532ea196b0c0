import type { EdgeAnswer, LeaseAnswer } from '../../../core/contract/edge-answer.ts';
import type { ExecutionAnswer, JobAnswer } from '../../../core/contract/job-answer.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { listLimitDefault } from '../../../core/model/limits.ts';
import { getEdge } from '../edges/get-edge.ts';
import { edgesAsked, listEdges } from '../edges/list-edges.ts';
import { getStats, statsAsked } from '../fleet/get-stats.ts';
import { edgeNamed, jobNamed } from '../http/call.ts';
import type { AskedPage } from '../http/cursor.ts';
import type { CursorPage } from '../http/page.ts';
import { getJob } from '../jobs/get-job.ts';
import { executionsAsked, listExecutions } from '../jobs/list-executions.ts';
import { jobsAsked, listJobs } from '../jobs/list-jobs.ts';
import type { Ask, ReadDeps } from './ask.ts';

/**
 * What can be seen of the fleet: the outcomes of the operations, with ways from each to its
 * neighbours.
 */
export type Paging = { readonly first?: number | null; readonly after?: string | null };
export type Words<N extends string> = { readonly [K in N]?: string | null };
export type JobFilter = Paging & Words<'state' | 'pool' | 'queue' | 'label' | 'edge'>;
export type EdgeFilter = Paging & Words<'state' | 'pool' | 'label'>;

/** Loads each node once a request, however many ways lead to it. */
export class ReadGraph {
  private readonly loadedEdges = new Map<string, Promise<unknown>>();
  private readonly loadedJobs = new Map<string, Promise<unknown>>();
  private readonly ask: Ask<ReadDeps>;

  constructor(ask: Ask<ReadDeps>) {
    this.ask = ask;
  }

  job(id: string): Promise<unknown> {
    return loadedOnce(this.loadedJobs, id, () =>
      orNull(async () => {
        const { view } = await this.ask(getJob, { input: () => ({ id: jobNamed(id) }) });
        return this.jobNode(view);
      }),
    );
  }

  edge(name: string): Promise<unknown> {
    return loadedOnce(this.loadedEdges, name, () =>
      orNull(async () => {
        const input = () => ({ name: edgeNamed(name) });
        return this.edgeNode((await this.ask(getEdge, { edge: name, input })).view);
      }),
    );
  }

  async jobs(asked: JobFilter): Promise<unknown> {
    const { state = null, pool = null, queue = null, edge = null, label = null } = asked;
    const words = { state, pool, queue, edge, kind: null, label: label === null ? [] : [label] };
    const page = await this.ask(listJobs, { input: () => jobsAsked(words, pageOf(asked)) });
    return connection(page, (job) => this.jobNode(job));
  }

  async edges(asked: EdgeFilter): Promise<unknown> {
    const { state = null, pool = null, label = null } = asked;
    const words = { state, pool, label: label === null ? [] : [label] };
    const page = await this.ask(listEdges, { input: () => edgesAsked(words, pageOf(asked)) });
    return connection(page, (edge) => this.edgeNode(edge));
  }

  stats(pool: string | null): Promise<unknown> {
    return this.ask(getStats, { input: () => statsAsked(pool, null) });
  }

  jobNode(job: JobAnswer) {
    return { ...job, executions: (asked: Paging) => this.executions(job.id, asked) };
  }

  private async executions(id: string, asked: Paging): Promise<unknown> {
    const input = () => executionsAsked(jobNamed(id), pageOf(asked));
    const page = await this.ask(listExecutions, { input });
    return connection(page, (execution) => this.executionNode(execution));
  }

  edgeNode(edge: EdgeAnswer) {
    return {
      ...edge,
      leases: edge.leases.map((lease) => this.leaseNode(lease)),
      jobs: (paging: Paging) => this.jobs({ ...paging, edge: edge.name }),
    };
  }

  private executionNode(execution: ExecutionAnswer) {
    const edgeName = execution.edge;
    return { ...execution, edgeName, edge: () => this.edge(edgeName) };
  }

  private leaseNode(lease: LeaseAnswer) {
    return { ...lease, jobId: lease.job, job: () => this.job(lease.job) };
  }
}

async function orNull<T>(load: () => Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'not-found') return null;
    throw error;
  }
}

function loadedOnce(
  kept: Map<string, Promise<unknown>>,
  key: string,
  load: () => Promise<unknown>,
): Promise<unknown> {
  const before = kept.get(key);
  if (before !== undefined) return before;
  const loading = load();
  kept.set(key, loading);
  return loading;
}

export function pageOf({ first, after }: Paging): AskedPage {
  return { limit: first ?? listLimitDefault, cursor: after ?? null };
}

function connection<T, N>({ items, cursors, nextCursor }: CursorPage<T>, nodeOf: (item: T) => N) {
  const nodes = items.map(nodeOf);
  return {
    nodes,
    edges: nodes.map((node, at) => ({ node, cursor: cursors[at] })),
    pageInfo: { hasNextPage: nextCursor !== null, endCursor: nextCursor },
  };
}
