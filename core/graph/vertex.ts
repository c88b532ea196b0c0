import { isRecord } from '../protocol/json.ts';
import { vertexFieldsMax, vertexSizeMax, vertexTextLengthMax } from './limits.ts';

/**
 * What one vertex of a graph says of itself. A vertex without `metadata` is a resource of which
 * there is one. What only tells it from its equals (its number, its rank, its path) is left out:
 * two vertices that differ in nothing else are the same to whoever asks for one.
 */
export type Scalar = string | number | boolean;

export type Vertex = {
  readonly type: string;
  /** How many it counts for. */
  readonly size: number;
  readonly unit: string;
  readonly exclusive: boolean;
  /** Everything that it says of itself by name, `type`, `name` and `size` among it. */
  readonly fields: ReadonlyMap<string, Scalar>;
  readonly attributes: ReadonlyMap<string, Scalar>;
};

type Refuse = (path: readonly (string | number)[], message: string) => void;

const ownNames = new Set(['id', 'uniq_id', 'rank', 'paths', 'containment', 'attributes']);
const control = /\p{Cc}/u;

export function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= vertexTextLengthMax && isClean(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

function isClean(text: string): boolean {
  return !control.test(text) && text.isWellFormed();
}

export function readVertex(value: unknown, refuse: Refuse): Vertex {
  const given = isRecord(value) ? (value.metadata ?? {}) : null;
  if (given === null) refuse([], 'A vertex is an object.');
  if (given !== null && !isRecord(given)) refuse(['metadata'], 'Metadata is an object.');
  const metadata = isRecord(given) ? given : {};
  const { type = 'resource', size = 1, unit = '', exclusive = false } = metadata;
  const vertex = {
    type: readText(type, ['metadata', 'type'], 1, refuse),
    size: readSize(size, refuse),
    unit: readText(unit, ['metadata', 'unit'], 0, refuse),
    exclusive: exclusive === true,
  };
  if (typeof exclusive !== 'boolean') {
    refuse(['metadata', 'exclusive'], 'This must be true or false.');
  }
  const fields = readFields(metadata, refuse);
  fields.set('type', vertex.type);
  fields.set('size', vertex.size);
  return { ...vertex, fields, attributes: readAttributes(metadata.attributes, refuse) };
}

function readText(value: unknown, path: readonly string[], min: number, refuse: Refuse): string {
  if (typeof value === 'string' && value.length >= min && value.length <= 64 && isClean(value)) {
    return value;
  }
  refuse(path, `This is a text of ${min} to 64 characters, none of them a control character.`);
  return 'resource';
}

function readSize(size: unknown, refuse: Refuse): number {
  if (typeof size === 'number' && Number.isInteger(size) && size >= 1 && size <= vertexSizeMax) {
    return size;
  }
  refuse(['metadata', 'size'], `A size is a whole number from 1 to ${vertexSizeMax}.`);
  return 1;
}

/** Free names with scalars; what is nested stays in the document and is asked for by nobody. */
function readFields(metadata: Record<string, unknown>, refuse: Refuse): Map<string, Scalar> {
  const fields = new Map<string, Scalar>();
  for (const [name, value] of Object.entries(metadata)) {
    if (ownNames.has(name) || value === null || typeof value === 'object') continue;
    if (isScalar(value)) fields.set(name, value);
    else refuse(['metadata', name], scalarSentence);
  }
  if (fields.size > vertexFieldsMax) {
    refuse(['metadata'], `A vertex has at most ${vertexFieldsMax} names of its own.`);
  }
  return fields;
}

function readAttributes(given: unknown, refuse: Refuse): ReadonlyMap<string, Scalar> {
  const attributes = new Map<string, Scalar>();
  if (given === undefined || given === null) return attributes;
  if (!isRecord(given)) {
    refuse(['metadata', 'attributes'], 'Attributes are an object of texts and numbers.');
    return attributes;
  }
  for (const [name, value] of Object.entries(given)) {
    if (isScalar(value)) attributes.set(name, value);
    else refuse(['metadata', 'attributes', name], scalarSentence);
  }
  if (attributes.size > vertexFieldsMax) {
    refuse(['metadata', 'attributes'], `A vertex has at most ${vertexFieldsMax} attributes.`);
  }
  return attributes;
}

const scalarSentence =
  'This is a text of at most 256 characters without control characters, a number, true or false.';
