import { ProblemError } from '../contract/problem.ts';
import type { CellOffer } from '../fleet/choose-cells.ts';
import { powerOf } from '../model/job.ts';
import type { CellId } from '../model/names.ts';
import { type Refusal, refuse } from './decision.ts';
import { type JobCreation, type Submission, type Surroundings, submit } from './submit.ts';

/** Several new jobs of one user: all of them, or none. */
export type BatchCreation = { readonly kind: 'batch'; readonly jobs: readonly JobCreation[] };

export type Submitted = { readonly submission: Submission; readonly around: Surroundings };

/** Each job is divided as if those before it waited in their cells already. */
export function submitBatch(
  submitted: readonly Submitted[],
  nowMs: number,
  hash: (text: string) => string,
): BatchCreation | Refusal {
  const given = new Map<CellId, number>();
  const jobs: JobCreation[] = [];
  for (const [at, { submission, around }] of submitted.entries()) {
    const metas = around.metas.map((offer) => withBacklog(offer, given.get(offer.id) ?? 0));
    const decision = submit(submission, { ...around, metas }, nowMs, hash);
    if (decision.kind === 'refused') return refuse(ofBatch(decision.problem, at));
    for (const [cell, { ranges }] of decision.intents) {
      given.set(cell, (given.get(cell) ?? 0) + powerOf(decision.job.chunking, ranges));
    }
    jobs.push(decision);
  }
  return { kind: 'batch', jobs };
}

function withBacklog(offer: CellOffer, power: number): CellOffer {
  const { summary } = offer;
  return { ...offer, summary: { ...summary, backlogPower: summary.backlogPower + power } };
}

/** The same refusal, with the place in the batch. */
export function ofBatch({ code, message, errors }: ProblemError, at: number): ProblemError {
  const place = `/jobs/${at}`;
  const placed = errors?.map((it) => ({ ...it, pointer: `${place}${it.pointer}` }));
  const named = placed ?? [{ pointer: place, message }];
  return new ProblemError(code, `Job ${at} of the batch: ${message}`, { errors: named });
}
