import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * Values as the table stores them: `{ "S": "text" }`, `{ "N": "1" }` and so on. Rows of ours hold
 * texts, numbers, flags, `null`, and rarely lists and maps of these; anything else is refused where
 * it would be written, and handed on as it is where somebody else wrote it: a value that no reader
 * of rows takes for one of ours.
 */
export type AttributeMap = Record<string, AttributeValue>;

export function encodeValue(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      if (!Number.isFinite(value)) throw new Error(`a row cannot hold the number ${value}`);
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    case 'object':
      if (value === null) return { NULL: true };
      if (Array.isArray(value)) return { L: value.map(encodeValue) };
      return { M: encodeMap(value as Readonly<Record<string, unknown>>) };
    default:
      throw new Error(`a row cannot hold a ${typeof value}`);
  }
}

/** What is undefined is left out. */
export function encodeMap(values: Readonly<Record<string, unknown>>): AttributeMap {
  const out: AttributeMap = {};
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (value !== undefined) out[name] = encodeValue(value);
  }
  return out;
}

export function decodeValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.NULL !== undefined) return null;
  if (value.M !== undefined) return decodeMap(value.M);
  if (value.L !== undefined) return value.L.map(decodeValue);
  return value;
}

export function decodeMap(map: Readonly<AttributeMap>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of Object.keys(map)) {
    if (name !== '__proto__') out[name] = decodeValue(map[name]!);
  }
  return out;
}
