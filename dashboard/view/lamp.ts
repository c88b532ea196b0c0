import type { Edge } from '../api/resources.ts';

/**
 * What lamp an edge shows. The state is the server's verdict; nothing here looks at a clock, so that list, cell and
 * detail can never disagree. Worst first: a lost edge is lost although it was being drained.
 */
export const lamps = ['connected', 'late', 'lost', 'drained'] as const;
export type Lamp = (typeof lamps)[number];

export type LampSource = Pick<Edge, 'state' | 'cordoned'> & { readonly draining?: boolean };

export function lampOf(edge: LampSource): Lamp {
  if (edge.state === 'lost') return 'lost';
  if (edge.state === 'removed' || edge.state === 'draining' || edge.draining === true) {
    return 'drained';
  }
  if (edge.cordoned || edge.state === 'cordoned') return 'drained';
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
      if (edge.state === 'removed') return 'removed';
      const leaving = edge.draining === true || edge.state === 'draining' ? 'draining' : 'cordoned';
      return edge.state === 'disconnected' ? `${leaving}, disconnected` : leaving;
    }
  }
}

/** How loaded an edge is, 0 to 10: the steps of the colour scale. */
export function loadStep(edge: Pick<Edge, 'capacity' | 'free'>): number {
  const { power } = edge.capacity;
  if (!(power > 0)) return 0;
  const used = Math.min(Math.max(power - edge.free.power, 0), power);
  return used === 0 ? 0 : Math.max(1, Math.round((10 * used) / power));
}
