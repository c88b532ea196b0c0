import { readAlgorithm } from '../../../core/contract/jobspec/envelope.ts';
import type { Submission } from '../../../core/model/submission.ts';
import { select } from '../../../core/selection/place-jobspec.ts';
import type { Selection } from '../../../core/selection/select-cluster.ts';
import { callerNamed } from '../../submissions/caller-named.ts';
import { planOfText } from '../../submissions/make-jobs.ts';
import type { Context } from '../operation.ts';
import type { CandidateDeps } from './candidates.ts';
import { askClusters, type Placed, type Question } from './place-asked.ts';

/** What the choice would be by what clusters have and say of themselves now. */
export type ChosenAgain = Pick<Placed, 'answers' | 'totals' | 'selection'> & {
  /** `null`: nobody has what it needs, or the steps leave nobody. */
  readonly placing: Placed['placing'] | null;
};

/** The seed is the same as it was, so a choice by lot among the same is the same. */
export async function chooseAgain(
  submission: Submission,
  live: boolean,
  context: Context,
  deps: CandidateDeps,
): Promise<ChosenAgain> {
  const question = questionAgain(submission);
  const found = await askClusters(question, live, context, deps);
  const { candidates, matched, algorithm, totals } = found;
  const { answers, placings } = matched;
  if (placings.size === 0) return { answers, totals, selection: null, placing: null };
  const { id } = submission;
  const selection: Selection = select(question.plan, candidates, matched, algorithm, id);
  const placing = selection.cluster === null ? null : (placings.get(selection.cluster) ?? null);
  return { answers, totals, selection, placing };
}

/**
 * In the name of who submitted it, who was allowed to; nobody is bound to clusters who may wait.
 */
export function chooseFor(
  submission: Submission,
  nowMs: number,
  deps: CandidateDeps,
): Promise<ChosenAgain> {
  const { createdBy, id } = submission;
  const context = { caller: callerNamed(createdBy), nowMs, requestId: `jobspec-${id}` };
  return chooseAgain(submission, false, context, deps);
}

/** Of one that an earlier version stored only its text is known. */
function questionAgain({ text, pool, queue, asked }: Submission): Question {
  const question = { plan: planOfText(text), pool, queue };
  if (asked === null) {
    return { ...question, select: null, clusters: null, together: null, fallback: null };
  }
  const { clusters, together, fallback = null } = asked;
  const read = readAlgorithm(asked.select);
  const chosen = read.ok ? { said: asked.select, algorithm: read.algorithm } : null;
  return { ...question, select: chosen, clusters, together, fallback };
}
