import { newTable } from '../../core/protocol/named-values.ts';

/**
 * The submit form as data: what the person typed, and the job body made of it. The API validates;
 * this only reads numbers and lists, and says which field it could not read.
 */
export type SubmitFields = {
  readonly name: string;
  readonly pool: string;
  readonly queue: string;
  readonly priority: string;
  readonly sizeBy: 'power' | 'chunkPower';
  readonly power: string;
  readonly chunks: string;
  readonly run: 'simulate' | 'process' | 'container';
  readonly seconds: string;
  readonly command: string;
  readonly image: string;
  readonly requires: string;
  readonly labels: string;
  readonly attempts: string;
  readonly policy: 'spread' | 'pack' | 'fastest';
  readonly keepOutput: 'none' | 'failed' | 'all';
};

export const emptyFields: SubmitFields = {
  name: '',
  pool: '',
  queue: '',
  priority: '',
  sizeBy: 'power',
  power: '400',
  chunks: '',
  run: 'simulate',
  seconds: '',
  command: '',
  image: '',
  requires: '',
  labels: '',
  attempts: '',
  policy: 'spread',
  keepOutput: 'failed',
};

export type Body = Readonly<Record<string, unknown>>;
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly field: string; readonly sentence: string };

export function bodyOf(fields: SubmitFields): Read<Body> {
  const body: Record<string, unknown> = {};
  for (const key of ['name', 'pool', 'queue'] as const) {
    if (fields[key].trim() !== '') body[key] = fields[key].trim();
  }
  const numbers = [
    ['priority', 'priority', fields.priority],
    [fields.sizeBy, 'power', fields.power],
    ['chunks', 'chunks', fields.chunks],
    ['attempts', 'attempts', fields.attempts],
  ] as const;
  for (const [key, field, text] of numbers) {
    if (text.trim() === '') continue;
    const value = Number(text);
    if (!Number.isInteger(value)) {
      return { ok: false, field, sentence: `${field} must be a whole number.` };
    }
    if (key === 'attempts') body.retries = { attempts: value };
    else body[key] = value;
  }
  const run = runOf(fields);
  if (!run.ok) return run;
  if (run.value !== null) body.run = run.value;
  for (const [key, text] of [
    ['requires', fields.requires],
    ['labels', fields.labels],
  ] as const) {
    const labels = labelsOf(text);
    if (labels === null) {
      return { ok: false, field: key, sentence: 'Write labels as key=value, with commas between.' };
    }
    if (Object.keys(labels).length > 0) body[key] = key === 'requires' ? { labels } : labels;
  }
  if (fields.policy !== 'spread') body.placement = { policy: fields.policy };
  if (fields.keepOutput !== 'failed') body.keepOutput = fields.keepOutput;
  return { ok: true, value: body };
}

function runOf(fields: SubmitFields): Read<Body | null> {
  const shell = ['sh', '-c', fields.command];
  switch (fields.run) {
    case 'simulate': {
      if (fields.seconds.trim() === '') return { ok: true, value: null };
      const seconds = Number(fields.seconds);
      if (!(seconds > 0)) {
        return { ok: false, field: 'seconds', sentence: 'Seconds must be a number above zero.' };
      }
      return { ok: true, value: { simulate: { seconds } } };
    }
    case 'process':
      if (fields.command.trim() === '') {
        return { ok: false, field: 'command', sentence: 'Enter the command to run.' };
      }
      return { ok: true, value: { process: { argv: shell } } };
    case 'container':
      if (fields.image.trim() === '') {
        return { ok: false, field: 'image', sentence: 'Enter the image to run.' };
      }
      return {
        ok: true,
        value: {
          container: {
            image: fields.image.trim(),
            argv: fields.command.trim() === '' ? [] : shell,
          },
        },
      };
  }
}

export function labelsOf(text: string): Record<string, string> | null {
  const labels = newTable<string>();
  for (const part of text.split(/[,\n]/)) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const key = part.slice(0, Math.max(0, at)).trim();
    if (key === '') return null;
    labels[key] = part.slice(at + 1).trim();
  }
  return labels;
}

/** The body as typed by hand. */
export function bodyOfText(text: string): Read<Body> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ok: true, value: value as Body };
    }
  } catch {
    // Said below, in words.
  }
  return { ok: false, field: 'json', sentence: 'This is not a JSON object.' };
}

/** A stored spec as a body to submit again: what the server filled in with nothing is left out. */
export function bodyOfSpec(spec: Body): Body {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));
}
