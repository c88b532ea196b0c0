import { namesProblem, type Parameters, type ParameterValue, valueProblem } from './parameters.ts';
import type { SweepFormat } from './sweep.ts';

/** One line of a file of parameters, read; a sentence says what is wrong with one that is none. */
export function parametersOf(
  record: string,
  format: SweepFormat,
  names: readonly string[],
): Parameters | string {
  if (format === 'jsonl') return parametersOfJson(record, names);
  const values = format === 'lines' ? [record] : fieldsOf(record);
  if (values === null) return 'has a quote that does not end';
  if (values.length !== names.length) {
    return `has ${values.length} columns, and the header has ${names.length}`;
  }
  const parameters = new Map<string, ParameterValue>();
  for (const [at, value] of values.entries()) {
    const problem = valueProblem(value);
    if (problem !== null) return `has a "${names[at]}" that ${problem}`;
    parameters.set(names[at]!, value);
  }
  return parameters;
}

/** The names that the first line of a file gives, or what is wrong with it. */
export function namesOfFirst(record: string, format: SweepFormat): readonly string[] | string {
  if (format === 'lines') return ['line'];
  const names = format === 'csv' ? fieldsOf(record)?.map((name) => name.trim()) : jsonNames(record);
  if (names === null || names === undefined) {
    return format === 'csv' ? 'It has a quote that does not end.' : 'It is no JSON object.';
  }
  return namesProblem(names) ?? names;
}

function jsonNames(record: string): string[] | null {
  const value = jsonOf(record);
  return value === null ? null : Object.keys(value);
}

function parametersOfJson(record: string, names: readonly string[]): Parameters | string {
  const value = jsonOf(record);
  if (value === null) return 'is no JSON object';
  const parameters = new Map<string, ParameterValue>();
  const given = Object.entries(value);
  for (const [name, one] of given) {
    const problem = valueProblem(one);
    if (problem !== null) return `has a "${name.slice(0, 64)}" that ${problem}`;
    parameters.set(name, one as ParameterValue);
  }
  for (const name of names) if (!parameters.has(name)) return `has no "${name}"`;
  if (given.length === names.length) return parameters;
  return 'has more names than the first';
}

function jsonOf(record: string): object | null {
  try {
    const value: unknown = JSON.parse(record);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** As RFC 4180 has it: a field in quotes may hold commas, line ends, and quotes written twice. */
function fieldsOf(record: string): string[] | null {
  if (!record.includes('"')) return record.split(',');
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const field = record[at] === '"' ? quotedAt(record, at) : plainAt(record, at);
    if (field === null) return null;
    fields.push(field.text);
    if (field.end < record.length && record[field.end] !== ',') return null;
    at = field.end + 1;
  }
  return fields;
}

type Field = { readonly text: string; readonly end: number };

function plainAt(record: string, from: number): Field {
  const comma = record.indexOf(',', from);
  const end = comma === -1 ? record.length : comma;
  return { text: record.slice(from, end), end };
}

function quotedAt(record: string, from: number): Field | null {
  let text = '';
  for (let at = from + 1; at < record.length; ) {
    const end = record.indexOf('"', at);
    if (end === -1) return null;
    text += record.slice(at, end);
    if (record[end + 1] !== '"') return { text, end: end + 1 };
    text += '"';
    at = end + 2;
  }
  return null;
}
