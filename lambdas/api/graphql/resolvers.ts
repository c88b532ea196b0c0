import type { EdgeAnswer, LeaseAnswer } from '../../../core/wire/edge-answer.ts';
import type { ExecutionAnswer, JobAnswer } from '../../../core/wire/job-answer.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import type { Asked, Invoke, Invoked } from './invoke.ts';

/**
 * What the fields of the graph resolve to: the answers of the operations, with ways from each to
 * its neighbours.
 */
type Page = { readonly items: readonly unknown[]; readonly nextCursor: string | null };
type Paging = { readonly first?: number | null; readonly after?: string | null };
type Filter = Paging & Readonly<Record<string, string | number | null | undefined>>;

export function rootOf(invoke: Invoke) {
  const graph = new Graph(invoke);
  return {
    job: ({ id }: { id: string }) => graph.job(id),
    jobs: (filter: Filter) => graph.jobs(filter),
    edge: ({ name }: { name: string }) => graph.edge(name),
    edges: (filter: Filter) => graph.edges(filter),
    stats: async () => (await invoke('getStats', {})).body,
    submit: async ({ job }: { job: unknown }) =>
      graph.jobNode((await invoke('submitJob', { body: job })).body as JobAnswer),
    cancel: async ({ id }: { id: string }) =>
      graph.jobNode((await invoke('cancelJob', { params: { id } })).body as JobAnswer),
    cordon: ({ edge, reason }: { edge: string; reason?: string | null }) =>
      graph.patch(edge, { cordoned: true, ...(reason ? { reason } : {}) }),
    uncordon: ({ edge }: { edge: string }) => graph.patch(edge, { cordoned: false }),
    drain: async ({ edge, ...rest }: Drain) => {
      const body = Object.fromEntries(
        Object.entries(rest).filter(([, value]) => value !== null && value !== undefined),
      );
      const drained = await invoke('drainEdge', { params: { name: edge }, body });
      return graph.edgeNode(drained.body as EdgeAnswer);
    },
  };
}

type Drain = {
  readonly edge: string;
  readonly reason?: string | null;
  readonly deadlineSeconds?: number | null;
};

/** Loads each node once a request, however many ways lead to it. */
class Graph {
  private readonly loadedEdges = new Map<string, Promise<unknown>>();
  private readonly loadedJobs = new Map<string, Promise<unknown>>();
  private readonly invoke: Invoke;

  constructor(invoke: Invoke) {
    this.invoke = invoke;
  }

  job(id: string): Promise<unknown> {
    return loadedOnce(this.loadedJobs, id, async () => {
      const found = await this.orNull('getJob', { params: { id } });
      return found === null ? null : this.jobNode(found as JobAnswer);
    });
  }

  edge(name: string): Promise<unknown> {
    return loadedOnce(this.loadedEdges, name, async () => {
      const found = await this.orNull('getEdge', { params: { name } });
      return found === null ? null : this.edgeNode(found as EdgeAnswer);
    });
  }

  async jobs(filter: Filter): Promise<unknown> {
    const page = await this.invoke('listJobs', { query: queryOf(filter) });
    return connection(page, (job) => this.jobNode(job as JobAnswer));
  }

  async edges(filter: Filter): Promise<unknown> {
    const page = await this.invoke('listEdges', { query: queryOf(filter) });
    return connection(page, (edge) => this.edgeNode(edge as EdgeAnswer));
  }

  async patch(name: string, body: unknown): Promise<unknown> {
    const edge = await this.invoke('patchEdge', { params: { name }, body });
    return this.edgeNode(edge.body as EdgeAnswer);
  }

  jobNode(job: JobAnswer) {
    return {
      ...job,
      executions: async (paging: Filter) => {
        const query = queryOf(paging);
        const page = await this.invoke('listExecutions', { params: { id: job.id }, query });
        return connection(page, (it) => this.executionNode(it as ExecutionAnswer));
      },
    };
  }

  edgeNode(edge: EdgeAnswer) {
    return {
      ...edge,
      leases: edge.leases.map((lease) => this.leaseNode(lease)),
      jobs: (paging: Filter) => this.jobs({ ...paging, edge: edge.name }),
    };
  }

  private executionNode(execution: ExecutionAnswer) {
    const edgeName = execution.edge;
    return { ...execution, edgeName, edge: () => this.edge(edgeName) };
  }

  private leaseNode(lease: LeaseAnswer) {
    return { ...lease, jobId: lease.job, job: () => this.job(lease.job) };
  }

  private async orNull(operation: string, asked: Asked): Promise<unknown> {
    try {
      return (await this.invoke(operation, asked)).body;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'not-found') return null;
      throw error;
    }
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

function queryOf({ first, after, ...filter }: Filter): NonNullable<Asked['query']> {
  return { ...filter, limit: first ?? undefined, cursor: after ?? undefined };
}

function connection<N>({ body, cursors }: Invoked, nodeOf: (item: unknown) => N) {
  const page = body as Page;
  const nodes = page.items.map(nodeOf);
  return {
    nodes,
    edges: nodes.map((node, at) => ({ node, cursor: cursors[at] })),
    pageInfo: { hasNextPage: page.nextCursor !== null, endCursor: page.nextCursor },
  };
}
