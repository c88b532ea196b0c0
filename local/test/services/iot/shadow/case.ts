/** A conformance case: requests in order, what each is answered and what is published for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export type Operation = 'get' | 'update' | 'delete';

export type Step = {
  readonly op: Operation;
  readonly body?: unknown;
  readonly raw?: string;
  readonly base64?: string;
  readonly expect?: { readonly code: number; readonly body?: object; readonly exact?: boolean };
  readonly absent?: readonly string[];
  /** By the end of the topic; null: must not be published. */
  readonly messages?: Readonly<Record<string, object | null>>;
  /** The messages have the named members and no others. */
  readonly exactMessages?: boolean;
};

export type ShadowCase = {
  readonly name: string;
  /** The sentence of AWS's documentation that the case holds the service to. */
  readonly says: string;
  readonly only?: 'mqtt' | 'http';
  readonly steps: readonly Step[];
};

export type Answer = { readonly code: number; readonly body: Record<string, unknown> };

const folder = join(import.meta.dirname, 'cases');

export const shadowCases: readonly ShadowCase[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ShadowCase[]);

export function payloadOf(step: Step): Buffer {
  if (step.base64 !== undefined) return Buffer.from(step.base64, 'base64');
  if (step.raw !== undefined) return Buffer.from(step.raw);
  return step.body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(step.body));
}

/** What the run of a case knows beside the case itself. */
export type Run = {
  readonly shadowLabel: string;
  /** The time in the answer to each step so far; `<t2>` is that of the third step. */
  readonly times: (number | undefined)[];
};

/** What a step without an expectation means: it works. */
export function checkAnswer(step: Step, answer: Answer, run: Run): void {
  const wanted = step.expect ?? { code: 200 };
  const { timestamp } = answer.body;
  run.times.push(typeof timestamp === 'number' ? timestamp : undefined);
  expect(answer, `answer to ${step.op}`).toMatchObject({ code: wanted.code });
  checkBody(wanted.body ?? {}, answer.body, run);
  if (wanted.exact === true) checkMembers(wanted.body ?? {}, answer.body);
  for (const key of step.absent ?? []) expect(answer.body).not.toHaveProperty([key]);
}

export function checkMessages(
  step: Step,
  published: ReadonlyMap<string, Record<string, unknown>>,
  run: Run,
): void {
  for (const [suffix, wanted] of Object.entries(step.messages ?? {})) {
    if (wanted === null) expect([...published.keys()]).not.toContain(suffix);
    else {
      expect([...published.keys()]).toContain(suffix);
      const body = published.get(suffix) ?? {};
      checkBody(wanted, body, run);
      if (step.exactMessages === true) checkMembers(wanted, body);
    }
  }
}

const checkMembers = (wanted: object, actual: object): void =>
  expect(Object.keys(actual).sort()).toEqual(Object.keys(wanted).sort());

/** Each member that is named is compared whole; `<time>` is any time of the last minute. */
function checkBody(wanted: object, actual: Record<string, unknown>, run: Run): void {
  for (const [key, value] of Object.entries(wanted)) {
    expect(actual[key], key).toEqual(filled(value, actual[key], run));
  }
}

function filled(wanted: unknown, actual: unknown, run: Run): unknown {
  if (typeof wanted === 'string') return filledText(wanted, actual, run);
  if (Array.isArray(wanted)) {
    const items = Array.isArray(actual) ? actual : [];
    return wanted.map((item, at) => filled(item, items[at], run));
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted;
  const fields = (actual ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(wanted).map(([key, item]) => [key, filled(item, fields[key], run)]),
  );
}

function filledText(wanted: string, actual: unknown, { shadowLabel, times }: Run): unknown {
  const step = /^<t(\d+)>$/.exec(wanted)?.[1];
  if (step !== undefined) return times[Number(step)] ?? `the time of step ${step}`;
  if (wanted !== '<time>') return wanted.replace('<name>', shadowLabel);
  const seconds = Math.floor(Date.now() / 1000);
  const recent = Number.isInteger(actual) && Math.abs(Number(actual) - seconds) <= 60;
  return recent ? actual : 'a time in seconds of the last minute';
}
