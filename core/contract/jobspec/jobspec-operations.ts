import { jobStates } from '../../model/job.ts';
import { type Body, bodyProblems, missing, type Operation, once, paging } from '../operation.ts';
import * as jobspecAnswers from './jobspec-answer.ts';

const jobspecQuery = {
  pool: '"default" by default',
  queue: '"default" by default',
  clusters: 'only these, by name, with commas between them',
  unsatisfied: 'refuse | wait: what happens when no cluster has what is asked for',
};
const jobspecText: Body = {
  mediaTypes: ['application/yaml', 'application/json'],
  description:
    'A jobspec of version 1; or an object with it as "jobspec" and how a cluster is selected; ' +
    'or {"simple": {"nodes", "tasks", "command"}}.',
};

const liveQuery = '"true": who is cordoned or not connected does not match';

/** What can be done with jobspecs. */
export const jobspecOperations: Readonly<Record<string, Operation>> = {
  submitJobspec: {
    summary: 'Submit a jobspec (version 1), as YAML or JSON',
    tag: 'jobs',
    query: jobspecQuery,
    headers: ['idempotency-key'],
    body: jobspecText,
    answers: { 200: jobspecAnswers.satisfySchema, 202: jobspecAnswers.jobspecAnswerSchema },
    problems: [...bodyProblems, ...once, 'unsatisfiable', 'no-cluster-selected'],
  },
  satisfyJobspec: {
    summary: 'Which clusters have what a jobspec asks for, and why the others do not',
    tag: 'jobs',
    query: {
      pool: jobspecQuery.pool,
      queue: jobspecQuery.queue,
      clusters: jobspecQuery.clusters,
      live: liveQuery,
    },
    body: jobspecText,
    answers: { 200: jobspecAnswers.satisfySchema },
    problems: bodyProblems,
  },
  listJobspecs: {
    summary: 'List submitted jobspecs, newest first',
    tag: 'jobs',
    query: {
      pool: '"default" by default',
      state: jobStates.join(' | '),
      label: 'key=value, of the jobspec; repeatable',
      ...paging,
    },
    answers: { 200: jobspecAnswers.submissionListSchema },
    problems: ['invalid-request'],
  },
  getJobspec: {
    summary: 'Read a submitted jobspec, with what became of it',
    tag: 'jobs',
    headers: ['if-none-match'],
    answers: { 200: jobspecAnswers.submissionSchema, 304: null },
    problems: missing,
  },
  cancelJobspec: {
    summary: 'Cancel all jobs of a jobspec; with `purge=true`, remove an ended one',
    tag: 'jobs',
    query: { purge: '"true" removes one that has ended, with its jobs' },
    headers: ['if-match'],
    answers: { 202: jobspecAnswers.submissionSchema, 204: null },
    problems: [...missing, 'not-finished', 'conflict', 'precondition-failed'],
  },
  retryJobspec: {
    summary: 'Run again what died, and after it what waited for it',
    tag: 'jobs',
    answers: { 202: jobspecAnswers.submissionSchema },
    problems: [...bodyProblems, 'not-found', 'nothing-to-retry', 'conflict'],
  },
  explainJobspec: {
    summary: 'Where a submitted jobspec would go now, and why',
    tag: 'jobs',
    query: { live: liveQuery },
    answers: { 200: jobspecAnswers.explainSchema },
    problems: [...bodyProblems, 'not-found', 'forbidden'],
  },
  graphJobspec: {
    summary: 'Tasks and groups of a jobspec, and who waits for whom',
    tag: 'jobs',
    query: { format: 'json | dot' },
    answers: { 200: jobspecAnswers.submissionGraphSchema },
    problems: missing,
  },
};
