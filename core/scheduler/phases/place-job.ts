import { intersect, isEmpty, type RangeSet } from '../../model/ranges.ts';
import { asGeneration } from '../../services/in-effect.ts';
import { generationsOf, standsStill } from '../../services/rollout.ts';
import type { JobDraft, Pass } from '../pass/draft.ts';
import { placeableOf } from '../pass/due-retries.ts';
import { placeGang } from './gangs.ts';
import type { Turn } from './order-backlog.ts';
import { place } from './place.ts';

/** One job's turn for idle edges: all of a gang at once, else as many chunks as fit. */
export function placeJob(pass: Pass, job: JobDraft, powerMax: number): Turn {
  if (job.intent.spec.placement.nodes !== null) return placeGang(pass, job);
  const { rollout } = job;
  if (rollout === undefined || !standsStill(rollout) || rollout.due.size === 0) {
    return place(pass, job, powerMax);
  }
  return placePaused(pass, job, powerMax, generationsOf(rollout, placeableOf(pass, job)));
}

/**
 * While a rollout stands still everybody stays what they are: what has to start again is placed by
 * what its own generation asks for.
 */
function placePaused(
  pass: Pass,
  job: JobDraft,
  powerMax: number,
  held: ReadonlyMap<number, RangeSet>,
): Turn {
  const stored = pass.cell.jobs.get(job.id)!.intent;
  const target = job.intent;
  const turns = new Set<Turn>();
  for (const [generation, chunks] of held) {
    job.intent = asGeneration(stored, generation, target);
    job.placing = chunks;
    if (!isEmpty(intersect(chunks, placeableOf(pass, job)))) turns.add(place(pass, job, powerMax));
  }
  job.intent = target;
  job.placing = null;
  return turns.has('more') ? 'more' : turns.has('stuck') ? 'stuck' : 'served';
}
