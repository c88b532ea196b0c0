import { drainBodySchema, edgePatchSchema } from '../../../core/contract/edge-body.ts';
import { jobBodySchema } from '../../../core/contract/job-body.ts';
import { drainEdge } from '../edges/drain-edge.ts';
import { patchEdge } from '../edges/patch-edge.ts';
import { edgeNamed, jobNamed } from '../http/call.ts';
import { checked } from '../http/json-body.ts';
import { noPrecondition } from '../http/precondition.ts';
import { cancelChunks, unwantedRanges } from '../jobs/cancel-chunks.ts';
import { cancelJob } from '../jobs/cancel-job.ts';
import { submitJob } from '../jobs/submit-job.ts';
import type { Ask } from './ask.ts';
import { type EdgeFilter, type JobFilter, ReadGraph, type Words } from './read-graph.ts';

/** What the fields of queries and mutations resolve to. */
export function rootOf(ask: Ask) {
  const graph = new Graph(ask);
  return {
    job: ({ id }: { id: string }) => graph.job(id),
    jobs: (filter: JobFilter) => graph.jobs(filter),
    edge: ({ name }: { name: string }) => graph.edge(name),
    edges: (filter: EdgeFilter) => graph.edges(filter),
    stats: ({ pool }: Words<'pool'>) => graph.stats(pool ?? null),
    submit: ({ job }: { job: unknown }) => graph.submit(job),
    cancel: ({ id }: { id: string }) => graph.cancel(id),
    cancelChunks: ({ id, ranges }: { id: string; ranges: string }) =>
      graph.cancelChunks(id, ranges),
    cordon: ({ edge, reason }: { edge: string; reason?: string | null }) =>
      graph.patch(edge, { cordoned: true, ...(reason ? { reason } : {}) }),
    uncordon: ({ edge }: { edge: string }) => graph.patch(edge, { cordoned: false }),
    drain: ({ edge, ...body }: { edge: string } & Readonly<Record<string, unknown>>) =>
      graph.drain(edge, body),
  };
}

class Graph extends ReadGraph {
  private readonly change: Ask;

  constructor(ask: Ask) {
    super(ask);
    this.change = ask;
  }

  async submit(job: unknown): Promise<unknown> {
    const input = () => ({ body: checked(jobBodySchema, job), keep: null });
    const accepted = await this.change(submitJob, { input });
    if (accepted === 'key-taken') throw new Error('a job without a key met its key');
    return this.jobNode(accepted.view);
  }

  async cancel(id: string): Promise<unknown> {
    const input = () => ({ id: jobNamed(id), precondition: noPrecondition, purge: false });
    const { job } = await this.change(cancelJob, { input });
    return job === null ? null : this.jobNode(job.view);
  }

  async cancelChunks(id: string, text: string): Promise<unknown> {
    const input = () => {
      return { id: jobNamed(id), precondition: noPrecondition, ranges: unwantedRanges(text) };
    };
    return this.jobNode((await this.change(cancelChunks, { input })).job.view);
  }

  async patch(edge: string, body: unknown): Promise<unknown> {
    const input = () => {
      const patch = checked(edgePatchSchema, body);
      return { name: edgeNamed(edge), precondition: noPrecondition, patch };
    };
    return this.edgeNode((await this.change(patchEdge, { edge, input })).view);
  }

  async drain(edge: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
    const input = () => {
      const given = Object.entries(body).filter(([, value]) => value != null);
      const drain = checked(drainBodySchema, Object.fromEntries(given));
      return { name: edgeNamed(edge), precondition: noPrecondition, ...drain };
    };
    return this.edgeNode((await this.change(drainEdge, { edge, input })).view);
  }
}
