import type { EdgeAnswer } from './edge-answer.ts';

/**
 * One word for an edge where there is room for one: a cell of the fleet, a dot in a row. Every
 * client takes it from here, and it looks at nothing but the answer, whose verdicts are those of
 * `core/model/edge-state.ts`: list, cell and detail cannot disagree.
 */
export const lamps = ['connected', 'late', 'lost', 'drained'] as const;
export type Lamp = (typeof lamps)[number];

type Intents = Pick<EdgeAnswer, 'cordoned' | 'draining' | 'removing'>;
export type LampSource = Intents & Pick<EdgeAnswer, 'state'>;

/** What its users want of it, the furthest first; `null`: that it works. */
export function intentOf(edge: Intents): 'removing' | 'draining' | 'cordoned' | null {
  if (edge.removing) return 'removing';
  if (edge.draining) return 'draining';
  return edge.cordoned ? 'cordoned' : null;
}

/** Worst first: a lost edge is lost although it was being drained. */
export function lampOf(edge: LampSource): Lamp {
  if (edge.state === 'lost') return 'lost';
  if (intentOf(edge) !== null) return 'drained';
  return edge.state === 'connected' ? 'connected' : 'late';
}
