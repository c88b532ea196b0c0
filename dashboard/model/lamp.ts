import type { Edge } from '../api/resources.ts';

/**
 * What lamp an edge shows. The state is the server's verdict; nothing here looks at a clock, so
 * that list, cell and detail can never disagree. Worst first: a lost edge is lost although it was
 * being drained.
 */
export const lamps = ['connected', 'late', 'lost', 'drained'] as const;
export type Lamp = (typeof lamps)[number];

export type LampSource = Pick<Edge, 'state' | 'cordoned' | 'draining' | 'removing'>;

export function lampOf(edge: LampSource): Lamp {
  if (edge.state === 'lost') return 'lost';
  if (edge.removing || edge.draining || edge.cordoned) return 'drained';
  return edge.state === 'connected' ? 'connected' : 'late';
}

export function lampWords(edge: LampSource): string {
  switch (lampOf(edge)) {
    case 'connected':
      return 'connected';
    case 'late':
      return edge.state === 'enrolled' ? 'not connected yet' : 'late: disconnected, not given up';
    case 'lost':
      return 'lost: its work went elsewhere';
    case 'drained': {
      const how = edge.removing ? 'being removed' : edge.draining ? 'draining' : 'cordoned';
      return edge.state === 'connected' ? how : `${how}, ${edge.state}`;
    }
  }
}
