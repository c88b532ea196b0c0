import type { JobBody } from '../../../../core/contract/job-body.ts';
import { boundSubmission } from '../../../../core/jobs/bound-submission.ts';
import type { Caller } from '../../../../core/model/caller.ts';

/** The body as this caller may submit it; who may not at all is refused. */
export function placedBody(caller: Caller, body: JobBody): JobBody {
  const bound = boundSubmission(caller, body);
  if (bound.kind === 'refused') throw bound.problem;
  return bound.body;
}
