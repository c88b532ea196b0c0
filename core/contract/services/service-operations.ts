import { jobSchema } from '../job-answer.ts';
import { edit, missing, type Operation, paging } from '../operation.ts';
import { generationListSchema, restartBodySchema, rollbackBodySchema } from './generation-body.ts';

/** What can be asked of a service besides what is asked of every job. */
export const serviceOperations: Readonly<Record<string, Operation>> = {
  listGenerations: {
    summary: 'List the last generations of a service',
    tag: 'jobs',
    query: paging,
    answers: { 200: generationListSchema },
    problems: [...missing, 'conflict'],
  },
  rollbackJob: {
    summary: 'Bring a service back to an earlier generation',
    tag: 'jobs',
    headers: ['if-match'],
    body: { schema: rollbackBodySchema, optional: true },
    answers: { 202: jobSchema },
    problems: [...edit, 'conflict'],
  },
  restartJob: {
    summary: 'Start instances of a service anew, one after the other',
    tag: 'jobs',
    headers: ['if-match'],
    body: { schema: restartBodySchema, optional: true },
    answers: { 202: jobSchema },
    problems: [...edit, 'conflict'],
  },
  stopChunk: {
    summary: 'Stop one instance of a service: it starts again, elsewhere if there is room',
    tag: 'jobs',
    query: { scale: 'true runs one instance fewer: this one' },
    headers: ['if-match'],
    answers: { 202: jobSchema },
    problems: [...missing, 'conflict', 'precondition-failed'],
  },
};
