import type * as z from 'zod';
import * as edgeAnswers from './edge-answer.ts';
import * as edgeBodies from './edge-body.ts';
import * as fleet from './fleet-body.ts';
import { graphqlAnswerSchema, graphqlBodySchema } from './graphql-body.ts';
import * as jobAnswers from './job-answer.ts';
import * as jobBodies from './job-body.ts';
import type { ProblemCode } from './problem.ts';

/**
 * What each operation takes and answers, for the OpenAPI document: the schemas are the very ones
 * that validate. What all operations share (401, 403, unexpected errors) is added by the document
 * itself.
 */
export type Operation = {
  readonly summary: string;
  readonly tag: 'jobs' | 'edges' | 'fleet' | 'tokens' | 'graph' | 'about';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: readonly RequestHeader[];
  readonly body?: Body;
  /** Successful answers by status; `null` has no body, a text names its media type. */
  readonly answers: Readonly<Record<number, z.ZodType | string | null>>;
  readonly problems?: readonly ProblemCode[];
};

export type RequestHeader = 'idempotency-key' | 'if-match' | 'if-none-match';

export type Body =
  | { readonly schema: z.ZodType; readonly optional?: boolean }
  | { readonly mediaTypes: readonly string[]; readonly description: string };

const paging = {
  limit: '1 to 500, 50 by default; a page of large items may hold fewer',
  cursor: 'from the page before',
};
const bodyProblems: readonly ProblemCode[] = [
  'invalid-request',
  'body-too-large',
  'unsupported-media-type',
];
const missing: readonly ProblemCode[] = ['not-found', 'invalid-request'];
const put: readonly ProblemCode[] = [...bodyProblems, 'precondition-failed'];
const edit: readonly ProblemCode[] = [...put, 'not-found'];
const once: readonly ProblemCode[] = ['idempotency-key-reused', 'idempotency-in-flight'];
const job = jobAnswers.jobSchema;
const edge = edgeAnswers.edgeSchema;

const jobOperations: Readonly<Record<string, Operation>> = {
  submitJob: {
    summary: 'Submit a job',
    tag: 'jobs',
    headers: ['idempotency-key'],
    body: { schema: jobBodies.jobBodySchema },
    answers: { 202: job },
    problems: [...bodyProblems, ...once, 'unsatisfiable'],
  },
  putJob: {
    summary: 'Create a job under an id of yours, or bring it to this body',
    tag: 'jobs',
    headers: ['if-match', 'if-none-match'],
    body: { schema: jobBodies.jobBodySchema },
    answers: { 200: job, 202: job },
    problems: [...put, 'conflict', 'unsatisfiable'],
  },
  patchJob: {
    summary: 'Change priority, labels or retries',
    tag: 'jobs',
    headers: ['if-match'],
    body: { schema: jobBodies.jobPatchSchema },
    answers: { 200: job },
    problems: [...edit, 'conflict'],
  },
  cancelJob: {
    summary: 'Cancel a job, or remove one that has ended',
    tag: 'jobs',
    query: { purge: 'true removes a job that has ended' },
    headers: ['if-match'],
    answers: { 200: job, 202: job, 204: null },
    problems: [...missing, 'not-finished', 'precondition-failed'],
  },
  retryJob: {
    summary: 'Run the dead chunks again',
    tag: 'jobs',
    headers: ['if-match'],
    answers: { 202: job },
    problems: [...missing, 'nothing-to-retry', 'precondition-failed'],
  },
  submitJobspec: {
    summary: 'Submit a jobspec (version 1), as YAML or JSON',
    tag: 'jobs',
    query: { pool: '"default" by default', queue: '"default" by default' },
    headers: ['idempotency-key'],
    body: {
      mediaTypes: ['application/yaml', 'application/json'],
      description: 'One job for each task; what has no meaning here is refused with its place.',
    },
    answers: { 202: jobAnswers.jobspecAnswerSchema },
    problems: [...bodyProblems, ...once],
  },
  listJobs: {
    summary: 'List jobs, newest first',
    tag: 'jobs',
    query: {
      state: jobAnswers.jobStates.join(' | '),
      pool: 'only of this pool',
      queue: 'only of this queue',
      label: 'key=value; of several all must match',
      edge: 'only those that ran or run on this edge',
      ...paging,
    },
    answers: { 200: jobAnswers.jobListSchema },
    problems: ['invalid-request'],
  },
  getJob: {
    summary: 'Read a job',
    tag: 'jobs',
    headers: ['if-none-match'],
    answers: { 200: job, 304: null },
    problems: missing,
  },
  listExecutions: {
    summary: 'List all edges where a job ran or runs',
    tag: 'jobs',
    query: paging,
    answers: { 200: jobAnswers.executionListSchema },
    problems: missing,
  },
  listChunks: {
    summary: 'List the chunks of a job',
    tag: 'jobs',
    query: { state: jobAnswers.chunkStates.join(' | '), ...paging },
    answers: { 200: jobAnswers.chunkListSchema },
    problems: missing,
  },
  getChunk: {
    summary: 'Read a chunk',
    tag: 'jobs',
    headers: ['if-none-match'],
    answers: { 200: jobAnswers.chunkSchema, 304: null },
    problems: missing,
  },
  getOutput: {
    summary: 'Read the kept output of a chunk',
    tag: 'jobs',
    answers: { 200: 'text/plain' },
    problems: missing,
  },
  putOutput: {
    summary: 'Keep the output of a chunk (edges)',
    tag: 'jobs',
    query: { attempt: 'which attempt printed it, 1 by default' },
    body: { mediaTypes: ['text/plain'], description: 'The tail of the output, at most 64 KB.' },
    answers: { 204: null },
    problems: [...bodyProblems, 'not-found'],
  },
  listEvents: {
    summary: 'Read the timeline of a job, oldest first',
    tag: 'jobs',
    query: paging,
    answers: { 200: jobAnswers.eventListSchema },
    problems: missing,
  },
  explainJob: {
    summary: 'Say why chunks wait',
    tag: 'jobs',
    answers: { 200: jobAnswers.explainSchema },
    problems: missing,
  },
  getSpec: {
    summary: 'Read what an agent needs to run a job',
    tag: 'jobs',
    query: { g: 'the hash that the work document names' },
    headers: ['if-none-match'],
    answers: { 200: jobAnswers.agentSpecSchema, 304: null },
    problems: missing,
  },
  planJob: {
    summary: 'Say where a job would go now; stores nothing',
    tag: 'jobs',
    body: { schema: jobBodies.jobBodySchema },
    answers: { 200: jobAnswers.planSchema },
    problems: [...bodyProblems, 'unsatisfiable'],
  },
};

const edgeOperations: Readonly<Record<string, Operation>> = {
  enrolEdge: {
    summary: 'Enrol an edge (enrol token)',
    tag: 'edges',
    headers: ['idempotency-key'],
    body: { schema: edgeBodies.enrolBodySchema },
    answers: { 201: edgeAnswers.enrolAnswerSchema },
    problems: [...bodyProblems, ...once, 'edge-exists'],
  },
  listEdges: {
    summary: 'List edges',
    tag: 'edges',
    query: {
      state: 'connected, disconnected, lost, cordoned, draining, busy, free, …',
      pool: 'only of this pool',
      label: 'key=value; of several all must match',
      ...paging,
    },
    answers: { 200: edgeAnswers.edgeListSchema },
    problems: ['invalid-request'],
  },
  getEdge: {
    summary: 'Read an edge',
    tag: 'edges',
    headers: ['if-none-match'],
    answers: { 200: edge, 304: null },
    problems: missing,
  },
  patchEdge: {
    summary: 'Change labels or capacity, cordon or uncordon',
    tag: 'edges',
    headers: ['if-match'],
    body: { schema: edgeBodies.edgePatchSchema },
    answers: { 200: edge },
    problems: edit,
  },
  drainEdge: {
    summary: 'Take no new work and hand back what has not begun',
    tag: 'edges',
    headers: ['if-match'],
    body: { schema: edgeBodies.drainBodySchema, optional: true },
    answers: { 202: edge },
    problems: edit,
  },
  removeEdge: {
    summary: 'Drain and remove an edge for good',
    tag: 'edges',
    query: { force: 'true ends it at once' },
    headers: ['if-match'],
    answers: { 202: edge },
    problems: [...missing, 'precondition-failed'],
  },
  listEdgeJobs: {
    summary: 'List what an edge did, newest first',
    tag: 'edges',
    query: paging,
    answers: { 200: edgeAnswers.edgeJobListSchema },
    problems: missing,
  },
  getWork: {
    summary: 'Read the work document (edges)',
    tag: 'edges',
    headers: ['if-none-match'],
    answers: { 200: edgeAnswers.workAnswerSchema, 304: null },
  },
  putReport: {
    summary: 'Report progress (edges)',
    tag: 'edges',
    body: { schema: edgeBodies.reportBodySchema },
    answers: { 202: edgeAnswers.reportAnswerSchema },
    problems: bodyProblems,
  },
};

const fleetOperations: Readonly<Record<string, Operation>> = {
  listPools: {
    summary: 'List pools',
    tag: 'fleet',
    query: paging,
    answers: { 200: fleet.poolListSchema },
    problems: ['invalid-request'],
  },
  getPool: {
    summary: 'Read a pool',
    tag: 'fleet',
    headers: ['if-none-match'],
    answers: { 200: fleet.poolSchema, 304: null },
    problems: missing,
  },
  putPool: {
    summary: 'Create or change a pool',
    tag: 'fleet',
    headers: ['if-match', 'if-none-match'],
    body: { schema: fleet.poolBodySchema },
    answers: { 200: fleet.poolSchema, 201: fleet.poolSchema },
    problems: put,
  },
  listQueues: {
    summary: 'List queues',
    tag: 'fleet',
    query: paging,
    answers: { 200: fleet.queueListSchema },
    problems: ['invalid-request'],
  },
  getQueue: {
    summary: 'Read a queue',
    tag: 'fleet',
    headers: ['if-none-match'],
    answers: { 200: fleet.queueSchema, 304: null },
    problems: missing,
  },
  putQueue: {
    summary: 'Create or change a queue',
    tag: 'fleet',
    headers: ['if-match', 'if-none-match'],
    body: { schema: fleet.queueBodySchema },
    answers: { 200: fleet.queueSchema, 201: fleet.queueSchema },
    problems: put,
  },
  getStats: {
    summary: 'Read the figures of the fleet',
    tag: 'fleet',
    answers: { 200: fleet.statsSchema },
    problems: ['invalid-request'],
  },
  getStatsHistory: {
    summary: 'Read what ended in each minute of the last hour; empty for a token of one pool',
    tag: 'fleet',
    answers: { 200: fleet.statsHistorySchema },
    problems: ['invalid-request'],
  },
  listTokens: {
    summary: 'List tokens, without their secrets',
    tag: 'tokens',
    query: paging,
    answers: { 200: fleet.tokenListSchema },
    problems: ['invalid-request'],
  },
  createToken: {
    summary: 'Make a token; its secret is shown once',
    tag: 'tokens',
    headers: ['idempotency-key'],
    body: { schema: fleet.tokenBodySchema },
    answers: { 201: fleet.tokenSchema },
    problems: [...bodyProblems, ...once],
  },
  revokeToken: {
    summary: 'Revoke a token at once',
    tag: 'tokens',
    answers: { 204: null },
    problems: missing,
  },
  listAudit: {
    summary: 'Read who changed what, newest first',
    tag: 'tokens',
    query: { since: 'a time; a day ago by default', ...paging },
    answers: { 200: fleet.auditListSchema },
    problems: ['invalid-request'],
  },
  postGraphql: {
    summary: 'Ask the fleet graph',
    tag: 'graph',
    body: { schema: graphqlBodySchema },
    answers: { 200: graphqlAnswerSchema },
    problems: bodyProblems,
  },
  getHealth: {
    summary: 'Say that the API answers',
    tag: 'about',
    answers: { 200: fleet.healthSchema },
  },
  getOpenApi: {
    summary: 'Read this document',
    tag: 'about',
    answers: { 200: 'application/json' },
  },
  getDocs: { summary: 'Explore this document', tag: 'about', answers: { 200: 'text/html' } },
  getDocsAsset: {
    summary: 'Read a part of the explorer',
    tag: 'about',
    answers: { 200: 'text/*' },
    problems: ['not-found'],
  },
};

export const operations: Readonly<Record<string, Operation>> = {
  ...jobOperations,
  ...edgeOperations,
  ...fleetOperations,
};
