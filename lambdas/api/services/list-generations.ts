import { ProblemError } from '../../../core/contract/problem.ts';
import type { GenerationAnswer } from '../../../core/contract/services/generation-body.ts';
import { generationsWith, type StoredGeneration } from '../../../core/services/generation.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOfRest } from '../http/page.ts';
import { timeOf } from '../jobs/view/job-view.ts';
import { visibleJob } from '../jobs/view/visible-job.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/** `GET /v1/jobs/{id}/generations`: what a service ran lately, the one that is wanted first. */
export const listGenerations = defineOperation({
  name: 'listGenerations',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    const paging = readPaging(call, { name: 'generations', position: /^\d{1,15}$/ });
    return { id: jobOfPath(call), paging };
  },
  run: async ({ id, paging }, { caller }, deps: Pick<Ports, 'jobs'>) => {
    const { job } = await visibleJob(id, caller, deps);
    if (job.spec.restart === undefined) {
      throw new ProblemError('conflict', 'Only a service has generations.');
    }
    const known = generationsWith(job, await deps.jobs.generations(id));
    const before = paging.position === null ? Number.POSITIVE_INFINITY : Number(paging.position);
    const rest = known.filter(({ generation }) => generation < before).map(generationView);
    return pageOfRest(paging, rest, ({ generation }) => String(generation));
  },
  answer: pageAnswer,
});

function generationView(kept: StoredGeneration): GenerationAnswer {
  const { generation, createdAtMs, createdBy, spec } = kept;
  const { run, resources, requires } = spec;
  const made = { generation, createdAt: timeOf(createdAtMs), createdBy };
  return { ...made, run, resources, requires } as unknown as GenerationAnswer;
}
