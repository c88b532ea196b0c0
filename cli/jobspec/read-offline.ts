import {
  envelopeSchema,
  jobspecOfSimple,
  readAlgorithm,
  simpleSchema,
} from '../../core/contract/jobspec/envelope.ts';
import { jobspecSchema } from '../../core/contract/jobspec/jobspec-schema.ts';
import type { JobspecPlan } from '../../core/contract/jobspec/plan.ts';
import { planJobspec } from '../../core/contract/jobspec/plan-jobspec.ts';
import { checkBody, type FieldError } from '../../core/contract/validation.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { documentOf, readSpecText } from '../input/spec-file.ts';
import type { Terminal } from '../terminal.ts';

/** A jobspec read without an API, by the rules that the API reads it by. */
export type ReadOffline =
  | { readonly ok: true; readonly plan: JobspecPlan }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export async function readOffline(terminal: Terminal, file: string): Promise<ReadOffline> {
  const document = documentOf(await readSpecText(terminal, file), file);
  const jobspec = jobspecIn(document, file);
  if (!jobspec.ok) return jobspec;
  const checked = checkBody(jobspecSchema, jobspec.value);
  const planned = checked.ok ? planJobspec(checked.value) : checked;
  return planned;
}

/** What is wrong with it ends the command. */
export async function planOffline(terminal: Terminal, file: string): Promise<JobspecPlan> {
  const read = await readOffline(terminal, file);
  if (read.ok) return read.plan;
  const lines = read.errors.map(({ pointer, message }) => `${pointer || '/'}: ${message}`);
  throw new Failure(exitCode.usage, `${file} is no valid jobspec.`, lines.join('\n  '));
}

type Inner =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Alone, in an object that says more of it, or in the short form. */
function jobspecIn(document: unknown, file: string): Inner {
  if (!isRecord(document)) return { ok: true, value: document };
  if ('simple' in document) {
    const checked = checkBody(simpleSchema, document);
    if (!checked.ok) return checked;
    const value = jobspecOfSimple(checked.value.simple);
    if (value !== null) return { ok: true, value };
    const message = 'A quote in the command has no end.';
    return { ok: false, errors: [{ pointer: '/simple/command', message }] };
  }
  if (!('jobspec' in document)) return { ok: true, value: document };
  const { select } = document;
  const isText = isRecord(select) && typeof select.priorities === 'string';
  const priorities = isText ? documentOf(String(select.priorities), `${file}, priorities`) : null;
  const whole = isText ? { ...document, select: { ...select, priorities } } : document;
  const checked = checkBody(envelopeSchema, whole);
  if (!checked.ok) return checked;
  const { jobspec, select: chosen } = checked.value;
  const read = readAlgorithm(chosen ?? { algorithm: 'freest' });
  if (!read.ok) {
    const errors = read.errors.map((it) => ({ ...it, pointer: `/select${it.pointer}` }));
    return { ok: false, errors };
  }
  return { ok: true, value: typeof jobspec === 'string' ? documentOf(jobspec, file) : jobspec };
}
