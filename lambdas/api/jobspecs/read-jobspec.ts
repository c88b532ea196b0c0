import {
  type Envelope,
  envelopeSchema,
  jobspecOfSimple,
  readAlgorithm,
  type Select,
  simpleSchema,
} from '../../../core/contract/jobspec/envelope.ts';
import { type Jobspec, jobspecSchema } from '../../../core/contract/jobspec/jobspec-schema.ts';
import type { JobspecPlan } from '../../../core/contract/jobspec/plan.ts';
import { planJobspec } from '../../../core/contract/jobspec/plan-jobspec.ts';
import { missingStages, nothingStaged } from '../../../core/contract/jobspec/stages.ts';
import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import type { FieldError } from '../../../core/contract/validation.ts';
import { isName } from '../../../core/model/names.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import type { Algorithm } from '../../../core/selection/select-cluster.ts';
import { parseYaml } from '../../submissions/parse-yaml.ts';
import { badQuery, type Call, callerOf } from '../http/call.ts';
import { checked, readText } from '../http/json-body.ts';

/** What a request asks to be done with a jobspec; whatever makes no sense was refused. */
export type AskedJobspec = {
  /** The jobspec as it was sent, byte for byte. */
  readonly text: string;
  readonly spec: Jobspec;
  readonly plan: JobspecPlan;
  readonly pool: string;
  readonly queue: string;
  /** `null`: as its pool has it. */
  readonly select: Chosen | null;
  readonly envelope: Omit<Envelope, 'jobspec' | 'select'>;
};

/** How one of the clusters is chosen: as it was said, and as it is carried out. */
export type Chosen = { readonly said: Select; readonly algorithm: Algorithm };

export function readJobspec(call: Call): AskedJobspec {
  checkMediaType(call);
  const text = readText(call);
  if (text.trim() === '') throw invalid('', 'The body is empty; send a jobspec.');
  const document = parseYaml(text, 'The body');
  const { jobspec, select, ...envelope } = checked(envelopeSchema, envelopeOf(document));
  const sent = typeof jobspec === 'string' ? jobspec : jobspec === document ? text : null;
  const inner = typeof jobspec === 'string' ? parseYaml(jobspec, 'The jobspec') : jobspec;
  const spec = checkedSpec(inner);
  const planned = planJobspec(spec);
  if (!planned.ok) throw refused(planned.errors);
  const missing = missingStages(planned.plan.units, envelope.stages ?? nothingStaged);
  if (missing.length > 0) throw refused(missing);
  return {
    text: sent ?? JSON.stringify(inner),
    spec,
    plan: planned.plan,
    ...readPlace(call),
    select: select === undefined ? null : chosenBy(select),
    envelope: { ...envelope, ...queryOf(call, envelope) },
  };
}

const isEnvelope = (document: unknown): boolean => isRecord(document) && 'jobspec' in document;

function envelopeOf(document: unknown): unknown {
  if (isRecord(document) && isRecord(document.jobspec)) return withPriorities(document);
  if (isEnvelope(document)) return withPriorities(document as Record<string, unknown>);
  if (!isRecord(document) || !('simple' in document)) return { jobspec: document };
  const { simple } = checked(simpleSchema, document);
  const jobspec = jobspecOfSimple(simple);
  if (jobspec === null) throw invalid('/simple/command', 'A quote in the command has no end.');
  return { jobspec };
}

/** Priorities may be a text of YAML, as in the configuration of other schedulers. */
function withPriorities(document: Record<string, unknown>): unknown {
  const { select } = document;
  if (!isRecord(select) || typeof select.priorities !== 'string') return document;
  const priorities = parseYaml(select.priorities, 'The priorities');
  return { ...document, select: { ...select, priorities } };
}

function checkedSpec(inner: unknown): Jobspec {
  if (!isRecord(inner)) throw invalid('/jobspec', 'A jobspec is an object, or a text with one.');
  return checked(jobspecSchema, inner);
}

function refused(errors: readonly FieldError[]): ProblemError {
  const detail = `The jobspec is not valid: ${errors[0]?.message ?? ''}`;
  return new ProblemError('invalid-request', detail, { errors });
}

/** A mistake in an expression is said with its place in the body. */
export function chosenBy(said: Select): Chosen {
  const read = readAlgorithm(said);
  if (read.ok) return { said, algorithm: read.algorithm };
  const errors = read.errors.map((it) => ({ ...it, pointer: `/select${it.pointer}` }));
  throw new ProblemError('invalid-request', errors[0]!.message, { errors });
}

function queryOf(call: Call, envelope: Pick<Envelope, 'clusters' | 'unsatisfied'>) {
  const { clusters, unsatisfied } = call.query;
  const named = clusters?.split(',').map((it) => it.trim());
  const wrong = named?.find((it) => !isName(it));
  if (wrong !== undefined) throw badQuery('clusters', `"${wrong}" cannot be a name.`);
  if (unsatisfied !== undefined && unsatisfied !== 'wait' && unsatisfied !== 'refuse') {
    throw badQuery('unsatisfied', 'This must be "refuse" or "wait".');
  }
  return {
    clusters: named ?? envelope.clusters,
    unsatisfied: unsatisfied ?? envelope.unsatisfied,
  };
}

function readPlace(call: Call): { readonly pool: string; readonly queue: string } {
  const caller = callerOf(call);
  const own = caller.kind === 'token' && caller.edges !== null ? caller.pool : null;
  const place = { pool: own ?? 'default', queue: 'default' };
  for (const name of ['pool', 'queue'] as const) {
    const value = call.query[name];
    if (value === undefined) continue;
    if (!isName(value)) throw badQuery(name, 'This cannot be a name.');
    place[name] = value;
  }
  return place;
}

const types = [
  /^(application|text)\/(x-)?yaml\b/i,
  /^application\/(json|[a-z0-9.-]+\+(json|yaml))\b/i,
  /^text\/plain\b/i,
];

function checkMediaType(call: Call): void {
  const type = call.headers['content-type'];
  if (type === undefined || types.some((pattern) => pattern.test(type))) return;
  const detail = 'Send a jobspec as application/yaml or application/json.';
  throw new ProblemError('unsupported-media-type', detail);
}
