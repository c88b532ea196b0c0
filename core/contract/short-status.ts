import type { EdgeAnswer } from './edge-answer.ts';

/**
 * One word for an edge where there is room for one: a cell of the fleet, a dot in a row. Every
 * client takes it from here, and it looks at nothing but the answer, whose verdicts are those of
 * `core/model/edge-state.ts`: list, cell and detail cannot disagree.
 */
export const shortStatuses = ['connected', 'late', 'lost', 'drained'] as const;
export type ShortStatus = (typeof shortStatuses)[number];

type Intents = Pick<EdgeAnswer, 'cordoned' | 'draining' | 'removing'>;
export type StatusSource = Intents & Pick<EdgeAnswer, 'state'>;

/** What its users want of it, the furthest first; `null`: that it works. */
export function userIntentOf(edge: Intents): 'removing' | 'draining' | 'cordoned' | null {
  if (edge.removing) return 'removing';
  if (edge.draining) return 'draining';
  return edge.cordoned ? 'cordoned' : null;
}

/** Worst first: a lost edge is lost although it was being drained. */
export function shortStatusOf(edge: StatusSource): ShortStatus {
  if (edge.state === 'lost') return 'lost';
  if (userIntentOf(edge) !== null) return 'drained';
  return edge.state === 'connected' ? 'connected' : 'late';
}
