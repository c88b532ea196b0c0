import type { CellEdge } from '../../core/model/cell.ts';
import { edgeWith } from './measured-cell.ts';

/**
 * A hundred kinds of edges, as a fleet that was bought over years has them: three resources in
 * amounts that do not go together, ten zones, five kinds of hardware.
 */
export const shapesCount = 100;
export const zonesCount = 10;

type Shape = {
  readonly capacity: { readonly power: number; readonly cpus: number; readonly memoryMb: number };
  readonly labels: { readonly zone: string; readonly hardware: string };
};

export const shapes: readonly Shape[] = Array.from({ length: shapesCount }, (_, at) => ({
  capacity: {
    power: [150, 250, 400, 600][at % 4]!,
    cpus: [96, 160, 256][at % 3]!,
    memoryMb: [65_536, 131_072, 262_144][Math.floor(at / 3) % 3]!,
  },
  labels: { zone: `z${at % zonesCount}`, hardware: `h${Math.floor(at / zonesCount) % 5}` },
}));

/** Shape by shape in turn, so that cells have about as many of each. */
export function shapedEdges(edges: number, first: number): readonly CellEdge[] {
  return Array.from({ length: edges }, (_, index) => {
    const { capacity, labels } = shapes[(first + index) % shapesCount]!;
    return edgeWith(index, { capacity, labels, flat: {} });
  });
}
