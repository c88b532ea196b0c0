import type { EdgeAnswer, LeaseAnswer } from '../../../core/contract/edge-answer.ts';
import { drainBodySchema, edgePatchSchema } from '../../../core/contract/edge-body.ts';
import type { ExecutionAnswer, JobAnswer } from '../../../core/contract/job-answer.ts';
import { jobBodySchema } from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { listLimitDefault } from '../../../core/model/limits.ts';
import { drainEdge } from '../edges/drain-edge.ts';
import { getEdge } from '../edges/get-edge.ts';
import { edgesAsked, listEdges } from '../edges/list-edges.ts';
import { patchEdge } from '../edges/patch-edge.ts';
import { getStats, statsAsked } from '../fleet/get-stats.ts';
import { edgeNamed, jobNamed } from '../http/call.ts';
import type { AskedPage } from '../http/cursor.ts';
import { checked } from '../http/json-body.ts';
import type { CursorPage } from '../http/page.ts';
import { noPrecondition } from '../http/precondition.ts';
import { cancelJob } from '../jobs/cancel-job.ts';
import { getJob } from '../jobs/get-job.ts';
import { executionsAsked, listExecutions } from '../jobs/list-executions.ts';
import { jobsAsked, listJobs } from '../jobs/list-jobs.ts';
import { submitJob } from '../jobs/submit-job.ts';
import type { Ask } from './ask.ts';

/**
 * What the fields of the graph resolve to: the outcomes of the operations, with ways from each to
 * its neighbours.
 */
type Paging = { readonly first?: number | null; readonly after?: string | null };
type Words<N extends string> = { readonly [K in N]?: string | null };
type JobFilter = Paging & Words<'state' | 'pool' | 'queue' | 'label' | 'edge'>;
type EdgeFilter = Paging & Words<'state' | 'pool' | 'label'>;

export function rootOf(ask: Ask) {
  const graph = new Graph(ask);
  return {
    job: ({ id }: { id: string }) => graph.job(id),
    jobs: (filter: JobFilter) => graph.jobs(filter),
    edge: ({ name }: { name: string }) => graph.edge(name),
    edges: (filter: EdgeFilter) => graph.edges(filter),
    stats: ({ pool }: Words<'pool'>) =>
      ask(getStats, { input: () => statsAsked(pool ?? null, null) }),
    submit: ({ job }: { job: unknown }) => graph.submit(job),
    cancel: ({ id }: { id: string }) => graph.cancel(id),
    cordon: ({ edge, reason }: { edge: string; reason?: string | null }) =>
      graph.patch(edge, { cordoned: true, ...(reason ? { reason } : {}) }),
    uncordon: ({ edge }: { edge: string }) => graph.patch(edge, { cordoned: false }),
    drain: ({ edge, ...body }: { edge: string } & Readonly<Record<string, unknown>>) =>
      graph.drain(edge, body),
  };
}

/** Loads each node once a request, however many ways lead to it. */
class Graph {
  private readonly loadedEdges = new Map<string, Promise<unknown>>();
  private readonly loadedJobs = new Map<string, Promise<unknown>>();
  private readonly ask: Ask;

  constructor(ask: Ask) {
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

  async submit(job: unknown): Promise<unknown> {
    const input = () => ({ body: checked(jobBodySchema, job), keep: null });
    const accepted = await this.ask(submitJob, { input });
    if (accepted === 'key-taken') throw new Error('a job without a key met its key');
    return this.jobNode(accepted.view);
  }

  async cancel(id: string): Promise<unknown> {
    const input = () => ({ id: jobNamed(id), precondition: noPrecondition, purge: false });
    const { job } = await this.ask(cancelJob, { input });
    return job === null ? null : this.jobNode(job.view);
  }

  async patch(edge: string, body: unknown): Promise<unknown> {
    const input = () => {
      const patch = checked(edgePatchSchema, body);
      return { name: edgeNamed(edge), precondition: noPrecondition, patch };
    };
    return this.edgeNode((await this.ask(patchEdge, { edge, input })).view);
  }

  async drain(edge: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
    const input = () => {
      const given = Object.entries(body).filter(([, value]) => value != null);
      const drain = checked(drainBodySchema, Object.fromEntries(given));
      return { name: edgeNamed(edge), precondition: noPrecondition, ...drain };
    };
    return this.edgeNode((await this.ask(drainEdge, { edge, input })).view);
  }

  private jobNode(job: JobAnswer) {
    return { ...job, executions: (asked: Paging) => this.executions(job.id, asked) };
  }

  private async executions(id: string, asked: Paging): Promise<unknown> {
    const input = () => executionsAsked(jobNamed(id), pageOf(asked));
    const page = await this.ask(listExecutions, { input });
    return connection(page, (execution) => this.executionNode(execution));
  }

  private edgeNode(edge: EdgeAnswer) {
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

function pageOf({ first, after }: Paging): AskedPage {
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
