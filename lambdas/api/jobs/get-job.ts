import type { JobId } from '../../../core/model/names.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { jobNow } from './view/job-now.ts';

/** `GET /v1/jobs/{id}`: the spec, and how far it is, with its first executions. */
export const getJob = defineOperation({
  name: 'getJob',
  read: (call): { readonly id: JobId } => {
    checkQuery(call, []);
    return { id: jobOfPath(call) };
  },
  run: ({ id }, context, deps: Pick<Ports, 'jobs'>) => jobNow(id, context, deps),
  answer: (job) => tagged(200, job),
});
