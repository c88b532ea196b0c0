import { edgeFields } from './edge-fields.ts';
import { fleetFields } from './fleet-fields.ts';
import { jobFields } from './job-fields.ts';
import { webhookFields } from './webhook-fields.ts';

/**
 * Gives every field of a described schema its sentence. What a schema says of a field itself stays;
 * what it says of its form alone (a time, a digest) comes behind what the field is for.
 */
type Json = Readonly<Record<string, unknown>>;

const sentences = new Map(
  Object.entries({ ...fleetFields, ...edgeFields, ...jobFields, ...webhookFields }),
);

/** Descriptions of a form, which many fields have. */
const forms = new Set([
  'ISO 8601, UTC.',
  'Lower-case letters, digits and inner hyphens, at most 64.',
  'The SHA-256 of a file, in hexadecimal.',
  'Chunk numbers in their text form: 0-41,43.',
]);

export function describeFields(schemas: Readonly<Record<string, Json>>): Record<string, Json> {
  const described = Object.entries(schemas).map(([name, schema]) => {
    // What is answered and sent in two forms says the same in both.
    const owner = name.replace(/^RunAnswer$/, 'Run');
    return [name, within(schema, owner)] as const;
  });
  return Object.fromEntries(described);
}

/** The sentence for a field, sought from the most special place to the field alone. */
function sentenceFor(path: string, field: string): string | undefined {
  const parent = path.slice(path.lastIndexOf('.') + 1);
  return (
    sentences.get(`${path}.${field}`) ?? sentences.get(`${parent}.${field}`) ?? sentences.get(field)
  );
}

function within(schema: Json, path: string): Json {
  const { properties, items, additionalProperties } = schema;
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? [[key, list.map((it: Json) => within(it, path))]] : [];
  });
  return {
    ...schema,
    ...Object.fromEntries(parts),
    ...(isObject(properties) ? { properties: fieldsOf(properties, path) } : {}),
    ...(isObject(items) ? { items: within(items, `${path}[]`) } : {}),
    ...(isObject(additionalProperties)
      ? { additionalProperties: within(additionalProperties, path) }
      : {}),
  };
}

function fieldsOf(properties: Json, path: string): Json {
  const fields = Object.entries(properties).map(([field, value]) => {
    const inner = within(value as Json, `${path}.${field}`);
    const own = typeof inner.description === 'string' ? inner.description : null;
    if (own !== null && !forms.has(own)) return [field, inner];
    const sentence = sentenceFor(path, field);
    if (sentence === undefined || sentence === own) return [field, inner];
    return [field, { ...inner, description: own === null ? sentence : `${sentence} ${own}` }];
  });
  return Object.fromEntries(fields);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
