import type { Edge } from '../../core/contract/resources.ts';

/**
 * The power of an edge, and how much of it is taken; never less than nothing, whatever was leased
 * to it.
 */
export type EdgePower = { readonly used: number; readonly total: number };

export function edgePower(edge: Pick<Edge, 'capacity' | 'free'>): EdgePower {
  const total = edge.capacity.power ?? 0;
  return { used: Math.min(total, Math.max(0, total - (edge.free.power ?? total))), total };
}

export function percentUsed(edge: Pick<Edge, 'capacity' | 'free'>): number {
  const { used, total } = edgePower(edge);
  return total > 0 ? Math.floor((100 * used) / total) : 0;
}

/**
 * How loaded an edge is, 0 to 10: the steps of the colour scale. Any load at all is a step above
 * none.
 */
export function loadStep(edge: Pick<Edge, 'capacity' | 'free'>): number {
  const { used, total } = edgePower(edge);
  return used === 0 ? 0 : Math.max(1, Math.round((10 * used) / total));
}
