import type { Parameters } from './parameters.ts';

/**
 * Names in braces in what a job says of its chunks. Without parameters `{chunk}` and `{job}` are
 * replaced and every other brace stays. With them `{lr}` and `{params.lr}` are the same, `{{` and
 * `}}` are braces, and a name behind a dollar is the shell's. What is replaced is not looked at
 * again: a value with braces stays as it is.
 */
const plain = /(\$?)\{(chunk|job)\}/g;
const withNames = /\{\{|\}\}|(\$?)\{([A-Za-z][A-Za-z0-9_.-]*)\}/g;
const prefix = 'params.';

export type TemplateValues = {
  readonly job: string;
  readonly chunk: number;
  /** `null`: the job has none. */
  readonly parameters: Parameters | null;
};

export function fillTemplate(text: string, values: TemplateValues): string {
  if (!text.includes('{') && !text.includes('}')) return text;
  const { parameters } = values;
  if (parameters === null) {
    return text.replace(plain, (whole: string, dollar: string, name: string) =>
      dollar === '' ? String(name === 'chunk' ? values.chunk : values.job) : whole,
    );
  }
  return text.replace(withNames, (whole: string, dollar?: string, name?: string) => {
    if (whole === '{{') return '{';
    if (whole === '}}') return '}';
    if (dollar !== '' || name === undefined) return whole;
    if (name === 'chunk') return String(values.chunk);
    if (name === 'job') return values.job;
    const value = parameters.get(bare(name));
    return value === undefined ? whole : String(value);
  });
}

/** Names in a text that stand for nothing, when these are the parameters. */
export function unknownNames(text: string, known: ReadonlySet<string>): string[] {
  const unknown: string[] = [];
  for (const [, dollar, name] of text.matchAll(withNames)) {
    if (name === undefined || dollar !== '' || name === 'chunk' || name === 'job') continue;
    if (!known.has(bare(name))) unknown.push(name);
  }
  return unknown;
}

const bare = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
