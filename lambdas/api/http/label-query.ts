import { badQuery } from './call.ts';

/** `?label=key=value`: the key ends at the first equals sign. */
export function readLabel(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw badQuery('label', 'This must have the form key=value.');
  return [text.slice(0, at), text.slice(at + 1)];
}
