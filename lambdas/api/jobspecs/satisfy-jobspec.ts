import { type Answer, type Call, checkQuery, flagOf } from '../http/call.ts';
import { type Context, contextOf } from '../operation.ts';
import type { CandidateDeps } from './candidates.ts';
import { askClusters, checkClusters, questionOf } from './place-asked.ts';
import { type AskedJobspec, readJobspec } from './read-jobspec.ts';

/**
 * `POST /v1/jobspecs/satisfy`: which clusters have what a jobspec asks for, and why the others do
 * not. It speaks of what a cluster has, not of what is free; with `live=true` also of who takes
 * nothing now. Stores nothing.
 */
export const satisfyJobspec = { handle };

function handle(call: Call, deps: CandidateDeps): Promise<Answer> {
  checkQuery(call, ['pool', 'queue', 'clusters', 'live']);
  return satisfied(readJobspec(call), flagOf(call, 'live'), contextOf(call), deps);
}

export async function satisfied(
  asked: AskedJobspec,
  live: boolean,
  context: Context,
  deps: CandidateDeps,
): Promise<Answer> {
  const question = questionOf(asked);
  const { candidates, matched, totals } = await askClusters(question, live, context, deps);
  if (question.clusters !== null) checkClusters(question.clusters, candidates);
  const body = { satisfied: totals.matches > 0, totals, clusters: matched.answers };
  return { status: 200, body };
}
