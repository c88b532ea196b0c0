import type * as z from 'zod';
import { bodyDepthMax, shownLengthMax, validationErrorsMax } from '../model/limits.ts';

/**
 * Checks a body against its schema and says what is wrong in sentences, each with a JSON pointer to
 * the place. Refuses before the schema what no schema sees: nesting without end, and the key
 * `__proto__`.
 */
export type FieldError = { readonly pointer: string; readonly message: string };

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export function checkBody<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  const unsafe = findUnsafe(value, [], 0);
  if (unsafe !== null) return { ok: false, errors: [unsafe] };
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, errors: result.error.issues.flatMap(errorsOf).slice(0, validationErrorsMax) };
}

/** RFC 6901. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function findUnsafe(value: unknown, path: PropertyKey[], depth: number): FieldError | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= bodyDepthMax) {
    return { pointer: pointerOf(path), message: `A body nests at most ${bodyDepthMax} levels.` };
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') {
      return { pointer: pointerOf([...path, key]), message: 'There is no field "__proto__" here.' };
    }
    if (typeof inner !== 'object' || inner === null) continue;
    const found = findUnsafe(inner, [...path, key], depth + 1);
    if (found !== null) return found;
  }
  return null;
}

type Issue = z.core.$ZodIssue;

function errorsOf(issue: Issue): readonly FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      message: unknownField(key, issue.path.length),
    }));
  }
  if (issue.code === 'invalid_key') {
    const [first] = issue.issues;
    const message = first === undefined ? 'This name is not allowed here.' : sentenceOf(first);
    return [{ pointer: pointerOf(issue.path), message }];
  }
  return [{ pointer: pointerOf(issue.path), message: sentenceOf(issue) }];
}

function unknownField(key: string, depth: number): string {
  if (depth === 0 && (key === 'status' || key === 'state')) {
    return `"${key}" is what the system reports; a request never writes it.`;
  }
  const shown = key.length > shownLengthMax ? `${key.slice(0, shownLengthMax)}…` : key;
  return `There is no field "${shown}" here.`;
}

/** How the library's own messages begin; a schema that has words of its own has the better ones. */
const ownWords = /^(Invalid|Too (big|small)|Unrecognized)\b/;

function sentenceOf(issue: Issue): string {
  if (!ownWords.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return typeSentence(issue);
    case 'too_small':
      return boundSentence(issue.origin, 'least', Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return boundSentence(issue.origin, 'most', Number(issue.maximum), issue.inclusive ?? true);
    case 'invalid_value':
      return `This must be ${choices(issue.values)}.`;
    case 'invalid_union':
      return unionSentence(issue);
    default:
      return issue.message;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

function typeSentence(issue: Issue & { code: 'invalid_type' }): string {
  const wanted = typeNames[issue.expected] ?? issue.expected;
  if (issue.input === undefined && issue.message.includes('received undefined')) {
    return `This field is required; it must be ${wanted}.`;
  }
  return `This must be ${wanted}.`;
}

function boundSentence(origin: string, end: 'least' | 'most', bound: number, inclusive: boolean) {
  if (end === 'least' && bound === 1 && (origin === 'string' || origin === 'array')) {
    return 'This must not be empty.';
  }
  if (origin === 'string') return `This must have at ${end} ${bound} characters.`;
  if (origin === 'array') return `This must have at ${end} ${bound} items.`;
  if (inclusive) return `This must be at ${end} ${bound}.`;
  return `This must be ${end === 'least' ? 'more' : 'less'} than ${bound}.`;
}

function choices(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value));
  return shown.length === 1 ? `${shown[0]}` : `one of ${shown.join(', ')}`;
}

function unionSentence(issue: Issue & { code: 'invalid_union' }): string {
  const firsts = issue.errors.flatMap((branch) => (branch[0] === undefined ? [] : [branch[0]]));
  const texts = new Set(firsts.map((first) => sentenceOf(first)));
  return texts.size === 0 ? 'This has none of the allowed forms.' : [...texts].join(' Or: ');
}
