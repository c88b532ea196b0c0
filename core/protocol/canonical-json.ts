/**
 * JSON that is written in one way only, whoever writes it: RFC 8785. Names are in the order of
 * their UTF-16 units, nothing is indented, and what is `undefined` is not there.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const table = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(table)
    .filter((name) => table[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(table[name])}`);
  return `{${members.join(',')}}`;
}
