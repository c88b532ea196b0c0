import type { JobBody } from '../../../../core/contract/job-body.ts';
import { submit } from '../../../../core/jobs/submit.ts';
import { changeAttemptsMax } from '../../../../core/model/limits.ts';
import type { JobId } from '../../../../core/model/names.ts';
import type { PoolCells } from '../../../../core/ports/pools.ts';
import { submittedWords } from '../../../submissions/submitted-words.ts';
import { hashOf, surroundingsOf } from '../../../submissions/surroundings.ts';
import { tooManyPools } from '../../fleet/too-many-pools.ts';
import { auditEvent } from '../../http/audit.ts';
import type { Answer } from '../../http/call.ts';
import { tagged } from '../../http/etag.ts';
import { contended } from '../../http/outage.ts';
import type { Context } from '../../operation.ts';
import { newJobView } from '../view/job-view.ts';
import type { Accepted, Keep } from './accepted.ts';
import { placeAtOnce } from './place-at-once.ts';
import { placedBody } from './placed-body.ts';
import type { SubmitDeps } from './write-ports.ts';

export type Submission = { readonly id: JobId; readonly body: JobBody; readonly keep: Keep };

/**
 * Load, decide, store, in one transaction; again when a job that it waits for has ended in between.
 * Nothing of a refused job is stored.
 */
export async function storeJob(
  { id, body: asked, keep }: Submission,
  context: Context,
  deps: SubmitDeps,
): Promise<Accepted | 'id-taken' | 'key-taken'> {
  const { caller, nowMs } = context;
  const body = placedBody(caller, asked);
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const around = await surroundingsOf(deps, body, cellsFor(deps, body, nowMs));
    const submission = { id, body, caller, keepsAnswer: keep !== null };
    const decision = submit(submission, around, nowMs, hashOf);
    if (decision.kind === 'refused') throw decision.problem;
    const audit = auditEvent(context, submittedWords(decision.job), id);
    const placed = await placeAtOnce(decision, around.metas, { keep, audit }, deps);
    if (placed !== 'left') return placed;
    const accepted = { version: decision.job.version, view: newJobView(decision, []) };
    const kept = keep === null ? null : keep(accepted);
    const outcome = await deps.changes.create(decision, kept, audit);
    if (outcome === 'created') return accepted;
    if (outcome === 'key-taken' || outcome === 'id-taken') return outcome;
  }
  throw contended();
}

export async function cellsFor(
  deps: Pick<SubmitDeps, 'cells'>,
  { pool }: JobBody,
  nowMs: number,
): Promise<PoolCells> {
  const cells = await deps.cells.ofPool(pool, nowMs);
  if (cells === null) throw tooManyPools(pool);
  return cells;
}

export function acceptedAnswer(accepted: Accepted): Answer {
  const answer = tagged(202, accepted);
  const location = `/v1/jobs/${accepted.view.id}`;
  return { ...answer, headers: { ...answer.headers, location } };
}
