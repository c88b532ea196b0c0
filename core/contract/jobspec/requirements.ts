import { resourceRequirementsMax } from './limits.ts';
import type { Mistakes } from './mistakes.ts';
import type { PlacedRequirement, Term } from './terms.ts';

/** Each resource with all below it has as many as a match can tell apart. */
export function checkRequirements(terms: ReadonlyMap<string, Term>, mistakes: Mistakes): void {
  for (const term of terms.values()) {
    const [first] = [...requirementsIn(term)].slice(resourceRequirementsMax);
    if (first === undefined) continue;
    const most = `A resource has at most ${resourceRequirementsMax} requirements`;
    mistakes.add(first.pointer, `${most}, those of what lies in it included.`);
  }
}

function* requirementsIn(term: Term): Iterable<PlacedRequirement> {
  yield* term.requires;
  for (const inner of term.with) yield* requirementsIn(inner);
}
