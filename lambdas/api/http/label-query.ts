import { badQuery } from './call.ts';

/**
 * `?label=key=value`, as often as wanted: what is listed has all of them. The key ends at the first
 * equals sign.
 */
export type LabelFilter = readonly (readonly [string, string])[];

export function labelsOf(texts: readonly string[]): LabelFilter {
  return texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw badQuery('label', 'This must have the form key=value.');
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

export function hasLabels(
  wanted: LabelFilter,
  labelOf: (key: string) => string | undefined,
): boolean {
  return wanted.every(([key, value]) => labelOf(key) === value);
}
