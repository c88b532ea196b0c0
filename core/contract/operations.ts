import { edgeStatusNames } from '../model/edge-status.ts';
import { jobStates } from '../model/job.ts';
import { clusterOperations } from './clusters/cluster-operations.ts';
import * as edgeAnswers from './edge-answer.ts';
import * as edgeBodies from './edge-body.ts';
import { fileOperations } from './files/file-operations.ts';
import * as fleet from './fleet-body.ts';
import { graphqlAnswerSchema, graphqlBodySchema } from './graphql-body.ts';
import * as jobAnswers from './job-answer.ts';
import * as jobBodies from './job-body.ts';
import { jobspecOperations } from './jobspec/jobspec-operations.ts';
import { bodyProblems, edit, missing, type Operation, once, paging, put } from './operation.ts';
import { scheduleOperations } from './schedules/schedule-operations.ts';
import { serviceOperations } from './services/service-operations.ts';
import { sweepOperations } from './sweeps/sweep-operations.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';

/** What each operation takes and answers: the schemas are the very ones that validate. */
const job = jobAnswers.jobSchema;
const edge = edgeAnswers.edgeSchema;

const jobOperations: Readonly<Record<string, Operation>> = {
  submitJob: {
    summary: 'Submit a job',
    tag: 'jobs',
    headers: ['idempotency-key'],
    body: { schema: jobBodies.jobBodySchema },
    answers: { 202: job },
    problems: [...bodyProblems, ...once, 'unsatisfiable', 'unsupported-run', 'limit-reached'],
  },
  submitJobs: {
    summary: 'Submit up to a hundred jobs, all or none',
    tag: 'jobs',
    headers: ['idempotency-key'],
    body: { schema: jobBodies.jobBatchBodySchema },
    answers: { 202: jobAnswers.jobBatchAnswerSchema },
    problems: [...bodyProblems, ...once, 'unsatisfiable', 'unsupported-run', 'limit-reached'],
  },
  putJob: {
    summary: 'Create a job under an id of yours, or bring it to this body',
    tag: 'jobs',
    headers: ['if-match', 'if-none-match'],
    body: { schema: jobBodies.jobBodySchema },
    answers: { 200: job, 202: job },
    problems: [...put, 'conflict', 'unsatisfiable', 'unsupported-run', 'limit-reached'],
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
  cancelChunks: {
    summary: 'Cancel some chunks of a job; it goes on with the others, and ends by them',
    tag: 'jobs',
    query: { ranges: 'which chunks, as ranges: 0-99,140' },
    headers: ['if-match'],
    answers: { 200: job, 202: job },
    problems: [...missing, 'conflict', 'precondition-failed'],
  },
  retryJob: {
    summary: 'Run the dead chunks again',
    tag: 'jobs',
    headers: ['if-match'],
    answers: { 202: job },
    problems: [...edit, 'nothing-to-retry'],
  },
  listJobs: {
    summary: 'List jobs, newest first',
    tag: 'jobs',
    query: {
      state: jobStates.join(' | '),
      pool: 'only of this pool',
      queue: 'only of this queue',
      kind: 'batch | service | everywhere',
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
    summary: 'Read what a chunk prints, and what is kept of that',
    tag: 'jobs',
    query: {
      offset: 'where to begin, 0 by default; `Edgewise-Next-Offset` says where to go on',
      attempt: 'of which attempt, the newest by default; `Edgewise-Attempt` says which one it is',
      waitSeconds: '0 to 25: how long to wait for more of a chunk that runs',
      stream: 'stdout | stderr',
    },
    answers: { 200: 'application/octet-stream' },
    problems: missing,
  },
  putOutput: {
    summary: 'Keep the output of a chunk (edges)',
    tag: 'jobs',
    query: {
      attempt: 'which attempt printed it, 1 by default',
      total: 'how much it printed in all, where this is its tail',
      stream: 'stdout | stderr',
      whole: 'the SHA-256 of all of it, which is stored as results are',
      offset: 'of a part that somebody follows: where it begins; at most 128 KB',
      more: 'true: there is more of it already',
      last: 'true: the attempt has ended, and this is the rest',
    },
    body: {
      mediaTypes: ['text/plain', 'application/octet-stream'],
      description: 'The tail of the output, at most 64 KB.',
    },
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
    problems: [...bodyProblems, 'unsatisfiable', 'unsupported-run'],
  },
};

const edgeOperations: Readonly<Record<string, Operation>> = {
  enrolEdge: {
    summary: 'Enrol an edge (enrol token)',
    tag: 'edges',
    headers: ['idempotency-key'],
    body: { schema: edgeBodies.enrolBodySchema },
    answers: { 201: edgeAnswers.enrolAnswerSchema },
    problems: [...bodyProblems, ...once, 'edge-exists', 'limit-reached'],
  },
  listEdges: {
    summary: 'List edges',
    tag: 'edges',
    query: {
      state: edgeStatusNames.join(' | '),
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
    summary: 'Change labels, capacity or pool, cordon or uncordon',
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
  removePool: {
    summary: 'Remove a pool without edges and open jobs; its ended jobs stay',
    tag: 'fleet',
    headers: ['if-match'],
    answers: { 204: null },
    problems: [...missing, 'pool-in-use', 'precondition-failed'],
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
  removeQueue: {
    summary: 'Remove the settings of a queue; its jobs go on with the defaults',
    tag: 'fleet',
    headers: ['if-match'],
    answers: { 204: null },
    problems: [...missing, 'precondition-failed'],
  },
  getStats: {
    summary: 'Read the figures of the fleet, or of a pool',
    tag: 'fleet',
    query: {
      pool: 'only of this pool; its jobs are counted from the newest 2,000',
      by: 'edge | pool | queue',
    },
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
    answers: { 200: graphqlAnswerSchema, 307: null },
    problems: bodyProblems,
    refusals: { 400: graphqlAnswerSchema },
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

/** Every operation of the API, for the OpenAPI document. */
export const operations: Readonly<Record<string, Operation>> = {
  ...jobOperations,
  ...jobspecOperations,
  ...fileOperations,
  ...sweepOperations,
  ...serviceOperations,
  ...scheduleOperations,
  ...webhookOperations,
  ...edgeOperations,
  ...clusterOperations,
  ...fleetOperations,
};
