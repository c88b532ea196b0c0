import { appliedEpochIn, hasApplied } from '../../model/edge-state.ts';
import type { EdgeDraft } from '../pass/draft.ts';

/**
 * The epoch of the document that this pass would write: above all that were ever written, or
 * applied.
 */
export function nextEpochOf(edge: EdgeDraft): number {
  return Math.max(edge.before.epoch, appliedEpochOf(edge)) + 1;
}

/** Whether the edge has reported that it applied its newest document. */
export function isApplied({ before, source }: EdgeDraft): boolean {
  return hasApplied(source.report, before);
}

/**
 * What the edge reports as applied. Above what is stored, the table was restored to an earlier
 * time.
 */
export function appliedEpochOf({ before, source }: EdgeDraft): number {
  return appliedEpochIn(source.report, before.epoch);
}
