import { bitsOf, says } from '../../files/held-files.ts';
import type { CellEdge, Intent } from '../../model/cell.ts';
import { inputsComparedMax } from '../../model/limits.ts';
import { namedValue } from '../../protocol/named-values.ts';
import { hasNamedDigest } from '../../sweeps/fill-inputs.ts';
import type { EdgeDraft } from './draft.ts';

/**
 * Which edges say that they have the inputs of a job already. Those come first where nothing else
 * tells edges apart: every policy of placement takes equal ones as they come.
 */
type Inputs = Intent['spec']['inputs'];

export function holdersFirst(inputs: Inputs, edges: EdgeDraft[]): EdgeDraft[] {
  if (inputs === undefined) return edges;
  const held = heldOn(inputs);
  const many = new Map(edges.map((edge) => [edge, held(edge.source)]));
  return edges.sort((a, b) => many.get(b)! - many.get(a)!);
}

/** How many of the inputs an edge says that it has. */
export function heldOn(inputs: NonNullable<Inputs>): (edge: Pick<CellEdge, 'facts'>) => number {
  const compared = inputs.filter((one) => !hasNamedDigest(one)).slice(0, inputsComparedMax);
  const files = compared.map(({ sha256, manifest }) => bitsOf(sha256 ?? manifest ?? ''));
  return ({ facts }) =>
    files.filter((bits) => says(namedValue(facts?.flat, 'cached'), bits)).length;
}
