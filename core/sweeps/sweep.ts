import type { Parameters, ParameterValue } from './parameters.ts';

/**
 * Where the chunks of a job differ: a set of parameters for each. Said one by one, as all
 * combinations of some values, or in a file with a line for each.
 */
export type Sweep =
  | { readonly items: readonly Readonly<Record<string, ParameterValue>>[] }
  | { readonly matrix: Readonly<Record<string, readonly ParameterValue[]>> }
  | { readonly file: string; readonly format: SweepFormat };

export const sweepFormats = ['lines', 'csv', 'jsonl'] as const;
export type SweepFormat = (typeof sweepFormats)[number];

/** A sweep that the job itself holds. */
export type WrittenSweep = Exclude<Sweep, { readonly file: string }>;

/** How many chunks it makes. */
export function countOf(sweep: WrittenSweep): number {
  if ('items' in sweep) return sweep.items.length;
  return Object.values(sweep.matrix).reduce((product, values) => product * values.length, 1);
}

/** Names that every chunk has a value for. */
export function namesOf(sweep: WrittenSweep): ReadonlySet<string> {
  if ('matrix' in sweep) return new Set(Object.keys(sweep.matrix));
  const [first = {}, ...others] = sweep.items;
  const names = Object.keys(first);
  return new Set(names.filter((name) => others.every((item) => Object.hasOwn(item, name))));
}

/** Of combinations the last name changes fastest, like the last digit of a number. */
export function parametersAt(sweep: WrittenSweep, chunk: number): Parameters {
  if ('items' in sweep) return new Map(Object.entries(sweep.items[chunk] ?? {}));
  let rest = chunk;
  const reversed: [string, ParameterValue][] = [];
  for (const [name, values] of Object.entries(sweep.matrix).reverse()) {
    reversed.push([name, values[rest % values.length]!]);
    rest = Math.floor(rest / values.length);
  }
  return new Map(reversed.reverse());
}
