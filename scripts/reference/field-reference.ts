import { openApiDocument } from '../../core/contract/openapi/openapi-document.ts';

/**
 * Every field of every body and answer with its type, its default and its sentence, from the
 * schemas that validate.
 */
export type Field = {
  readonly path: string;
  readonly type: string;
  /** As JSON; `null` where the field has none. */
  readonly fallback: string | null;
  readonly required: boolean;
  readonly sentence: string | null;
};

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
};

const document = openApiDocument('0.0.0');
const schemas = new Map(
  Object.entries((document.components as { schemas: Record<string, Schema> }).schemas),
);

export const schemaNames: readonly string[] = [...schemas.keys()].sort();

export function fieldsOf(name: string, follow: ReadonlySet<string> = new Set()): Field[] {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`there is no schema ${name}`);
  return within(schema, '', follow);
}

function within(schema: Schema, path: string, follow: ReadonlySet<string>): Field[] {
  const name = nameIn(schema);
  if (name !== null) {
    const target = schemas.get(name);
    return follow.has(name) && target !== undefined ? within(target, path, follow) : [];
  }
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const { additionalProperties: values } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
      const at = path === '' ? key : `${path}.${key}`;
      const required = schema.required?.includes(key) ?? false;
      return [fieldAt(at, value, required), ...within(value, at, follow)];
    }),
    ...alternatives.flatMap((it) => within(it, path, follow)),
    ...(schema.items === undefined ? [] : within(schema.items, `${path}[]`, follow)),
    ...(typeof values === 'object' ? within(values, `${path}.*`, follow) : []),
  ];
}

function fieldAt(path: string, schema: Schema, required: boolean): Field {
  const referred = schemas.get(nameIn(schema) ?? '');
  return {
    path,
    type: typeOf(schema),
    fallback: schema.default === undefined ? null : JSON.stringify(schema.default),
    required,
    sentence: schema.description ?? referred?.description ?? null,
  };
}

function nameIn({ $ref }: Schema): string | null {
  return $ref === undefined ? null : $ref.slice($ref.lastIndexOf('/') + 1);
}

function typeOf(schema: Schema): string {
  const name = nameIn(schema);
  if (name !== null) return `[${name}](fields.md#${name.toLowerCase()})`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((it) => `\`${String(it)}\``).join(' ');
  if (schema.type === 'array') {
    const item = schema.items === undefined ? 'anything' : typeOf(schema.items);
    return `list of ${item}${schema.maxItems === undefined ? '' : `, ${schema.maxItems} at most`}`;
  }
  if (schema.type === 'object') return 'object';
  if (schema.type === 'string') {
    return schema.maxLength === undefined ? 'text' : `text, ${schema.maxLength} at most`;
  }
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema);
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

function numberOf({ type, minimum, maximum }: Schema): string {
  const kind = type === 'integer' ? 'whole number' : 'number';
  const isBound = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const from = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? null : minimum;
  if (isBound && from !== null) return `${kind}, ${from} to ${maximum}`;
  return isBound ? `${kind}, ${maximum} at most` : kind;
}

function tableOf(fields: readonly Field[]): string[] {
  const rows = fields.map(({ path, type, fallback, required, sentence }) => {
    const when = required ? 'always' : fallback === null ? '' : `\`${fallback}\``;
    return `| \`${path}\` | ${type} | ${when} | ${(sentence ?? '').replaceAll('|', '\\|')} |`;
  });
  return ['| field | type | default | what it says |', '|---|---|---|---|', ...rows];
}

/** `docs/fields.md`. */
export function fieldReference(): string {
  const sections = schemaNames.flatMap((name) => {
    const fields = fieldsOf(name);
    const { description, type } = schemas.get(name) ?? {};
    const table =
      fields.length === 0 ? [typeof type === 'string' ? `A ${type}.` : ''] : tableOf(fields);
    return [
      `## ${name}`,
      '',
      ...(description === undefined ? [] : [description, '']),
      ...table,
      '',
    ];
  });
  return [
    '# Fields of the API',
    '',
    'Generated by `npm run docs:api` from the schemas that validate; the same sentences are in',
    '`/openapi.json`. A body refuses fields that it does not know; an answer may get new ones.',
    '`always` stands in the place of a default where a field is never absent. Which call takes and',
    'answers which of these is in [the API](api.md).',
    '',
    ...sections,
  ]
    .join('\n')
    .replaceAll('](fields.md#', '](#');
}

const partsOfJob = new Set(['Run', 'Inputs', 'Outputs', 'Params', 'Restart']);

/** `docs/job-file.md`. */
export function jobFileReference(): string {
  const fields = fieldsOf('JobBody', partsOfJob);
  const groupOf = ({ path }: Field) => path.split(/[.[]/)[0]!;
  const groups = Map.groupBy(fields, groupOf);
  const alone = [...groups.values()].filter((group) => group.length === 1).flat();
  const others = [...groups].filter(([, group]) => group.length > 1);
  return [
    '# The job file',
    '',
    'Generated by `npm run docs:api`. What `edgewise submit --file job.yaml` takes, as YAML or',
    'JSON, and what `POST /v1/jobs` takes as JSON. Every field may be left out. Several documents',
    'in one file, divided by `---`, are accepted together or not at all; so is a list of commands,',
    '`tasks: [{cmd: sleep, params: ["30"]}]`.',
    '',
    '```yaml',
    'name: render',
    'pool: default',
    'chunks: 40',
    'chunkPower: 50',
    'run:',
    '  process:',
    '    argv: [python, render.py, --frame, "{chunk}"]',
    '    timeoutSeconds: 600',
    'requires:',
    '  labels: {site: north}',
    'retries: {attempts: 2}',
    'outputs: {paths: ["out/**"]}',
    '```',
    '',
    '`edgewise submit --file job.yaml --dry-run` says where it would go; flags given beside a',
    'file win over its fields.',
    '',
    '## Fields of one value',
    '',
    ...tableOf(alone),
    '',
    ...others.flatMap(([name, group]) => [`## ${name}`, '', ...tableOf(group), '']),
  ].join('\n');
}
