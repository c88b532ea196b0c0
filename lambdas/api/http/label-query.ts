import { badQuery, type Call } from './call.ts';

/**
 * `?label=key=value`, as often as wanted: what is listed has all of them. The key ends at the first
 * equals sign.
 */
export type LabelFilter = readonly (readonly [string, string])[];

export function readLabels({ query, repeated }: Call): LabelFilter {
  if (query.label === undefined) return [];
  return (repeated.label ?? [query.label]).map(readLabel);
}

export function hasLabels(
  wanted: LabelFilter,
  labelOf: (key: string) => string | undefined,
): boolean {
  return wanted.every(([key, value]) => labelOf(key) === value);
}

function readLabel(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw badQuery('label', 'This must have the form key=value.');
  return [text.slice(0, at), text.slice(at + 1)];
}
