import { missing, type Operation } from '../operation.ts';
import { chunkParametersSchema } from './params-answer.ts';

/** What the operations about parameters of chunks take and answer. */
export const sweepOperations: Readonly<Record<string, Operation>> = {
  getParams: {
    summary: 'Read the parameters of chunks of a sweep; edges read those of their own',
    tag: 'jobs',
    query: { chunks: 'numbers of chunks, like 0-41,43; all by default' },
    answers: { 200: chunkParametersSchema },
    problems: [...missing, 'invalid-request'],
  },
};
