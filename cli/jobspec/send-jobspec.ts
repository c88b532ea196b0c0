import { randomUUID } from 'node:crypto';
import type { JobspecAnswer, SatisfyAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { Api, Query } from '../client/api.ts';
import { usage } from '../failure.ts';
import { parsePairs } from '../input/pairs.ts';
import { documentOf, readSpecText } from '../input/spec-file.ts';
import type { Terminal } from '../terminal.ts';
import { stageFiles } from './stage-files.ts';

/** What a command says of where a jobspec may go; the file may say it as well. */
export const placeFlags = {
  pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'the pool (default)' },
  queue: { kind: 'text', value: 'QUEUE', noun: 'queue', about: 'the queue (default)' },
  cluster: { kind: 'list', value: 'NAME', noun: 'edge', about: 'only this cluster; repeatable' },
} as const;

/** How one of several is chosen, and what happens without any. */
export const choiceFlags = {
  select: {
    kind: 'text',
    value: 'ALGORITHM',
    choices: ['freest', 'random', 'first', 'constraint'],
    about: 'how one of the clusters that match is chosen (freest)',
  },
  priorities: { kind: 'text', value: 'FILE', about: 'steps for --select constraint' },
  unsatisfied: {
    kind: 'text',
    value: 'WORD',
    choices: ['refuse', 'wait'],
    about: 'what happens when nobody has what a jobspec asks for (refuse)',
  },
} as const;

export const selectFlags = {
  ...placeFlags,
  ...choiceFlags,
  label: { kind: 'list', short: 'l', value: 'K=V', about: 'a label of it, and of its jobs' },
  'idempotency-key': {
    kind: 'text',
    value: 'KEY',
    about: 'the same key submits once',
    rare: true,
  },
} as const;

export type PlaceValues = {
  readonly pool: string | undefined;
  readonly queue: string | undefined;
  readonly cluster: readonly string[];
};

export type SelectValues = PlaceValues & {
  readonly select: string | undefined;
  readonly priorities: string | undefined;
  readonly unsatisfied: string | undefined;
  readonly label: readonly string[];
  readonly 'idempotency-key': string | undefined;
};

/** Its text goes as it is written: it is what `jobspec get` shows later. */
export async function sendJobspec(
  api: Api,
  terminal: Terminal,
  file: string,
  flags: SelectValues,
): Promise<JobspecAnswer | SatisfyAnswer> {
  const text = await readSpecText(terminal, file);
  const select = await selectionOf(terminal, flags);
  const document = documentOf(text, file);
  if (select !== null && isRecord(document) && ('jobspec' in document || 'simple' in document)) {
    throw usage('--select: the file is more than a jobspec.', 'Say it there, as "select".');
  }
  if (flags.label.length > 0 && isRecord(document) && 'simple' in document) {
    throw usage('--label: the file is no jobspec.', 'Write one, or submit a job.');
  }
  const headers = { 'idempotency-key': flags['idempotency-key'] ?? randomUUID() };
  const query = { ...placeQuery(flags), unsatisfied: flags.unsatisfied };
  const stages = await stageFiles(api, terminal, document, flags.pool);
  const more = {
    ...(select === null ? {} : { select }),
    ...(stages === null ? {} : { stages }),
    ...(flags.label.length === 0 ? {} : { labels: parsePairs(flags.label, 'label') }),
  };
  const sent =
    Object.keys(more).length === 0
      ? { body: text, contentType: 'application/yaml' }
      : { body: envelopeWith(document, text, more) };
  return (
    await api.ask<JobspecAnswer | SatisfyAnswer>('POST', '/v1/jobspecs', {
      ...sent,
      headers,
      query,
    })
  ).body;
}

/** A file that is more than a jobspec keeps what it says besides. */
function envelopeWith(document: unknown, text: string, more: object): object {
  if (isRecord(document) && 'jobspec' in document) return { ...document, ...more };
  return { jobspec: text, ...more };
}

export function placeQuery({ pool, queue, cluster }: PlaceValues): Query {
  return { pool, queue, clusters: cluster.length === 0 ? undefined : cluster.join(',') };
}

export type Selection = { readonly algorithm: string; readonly priorities?: string };

export async function selectionOf(
  terminal: Terminal,
  { select, priorities }: Pick<SelectValues, 'select' | 'priorities'>,
): Promise<Selection | null> {
  if (priorities === undefined) return select === undefined ? null : { algorithm: select };
  if (select !== undefined && select !== 'constraint') {
    throw usage('--priorities are of --select constraint.', 'Leave one of the two out.');
  }
  return { algorithm: 'constraint', priorities: await readSpecText(terminal, priorities) };
}

/** What became of it, a line for each task. */
export function sayTasks(terminal: Terminal, { cluster, jobs }: JobspecAnswer): void {
  const isPlaced = cluster !== null;
  if (!isPlaced) terminal.say('nobody has what it asks for now; it waits');
  for (const { task, job } of isPlaced ? jobs : []) terminal.say(`=> ${task}  ${job.id}  OK`);
}
