import { readFileSync, statSync } from 'node:fs';
import { isImageName } from '../../core/model/image-name.ts';
import { executorOf, type Run } from '../../core/model/job.ts';
import type { RangeSet } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { containersOf } from '../../core/runs/pod.ts';
import { parseUpdates, type UpdatesRule } from '../update/updates-rule.ts';
import { foreignOption } from './batch-options.ts';
import { namesOfImage } from './image-reference.ts';
import { parseSigners, type Signers } from './job-signature.ts';
import type { Log } from './log-lines.ts';

/**
 * What the owner of this edge allows, in a file of theirs:
 *
 *     { "allow": { "executors": ["process"], "images": ["ghcr.io/acme/*"], "users": ["token:*"],
 *                  "cwd": ["/srv/*"], "hosts": ["*.example.com"],
 *                  "hours": ["18:00-08:00"] },
 *       "deny": { "images": ["*:latest"] }, "maxPower": 200,
 *       "software": { "spack": "spack --version" },
 *       "updates": { "from": "https://releases.example.com/", "signers": { "acme": "…" } } }
 *
 * Deny wins over allow; a list that is not there allows everything. Directories are judged where
 * they really are, and a job that names none by the one it would run in; an image by every name
 * that engines know it under. Users are named as jobs name
 * them in `createdBy`. Hours are local time and may pass midnight. Where there are signers, nothing
 * runs that none of them has signed (`job-signature.ts`). The file is read again when it
 * changes. One that does not make sense changes nothing and is reported.
 *
 * Whatever the owner allows, the name of an image is no option of an engine, and the options of a
 * batch say neither where it runs nor which files are written.
 */
export type Policy = {
  readonly allow: PolicyLists;
  readonly deny: PolicyLists;
  readonly maxPower: number | null;
  readonly software: Readonly<Record<string, string>>;
  /** `null`: a job need not be signed. */
  readonly signers: Signers | null;
  /** `null`: this program is never replaced by itself. */
  readonly updates: UpdatesRule | null;
};

type ListName = 'executors' | 'images' | 'users' | 'cwd' | 'hosts' | 'hours';
type PolicyLists = Readonly<Partial<Record<ListName, readonly string[]>>>;

const listNames: readonly ListName[] = ['executors', 'images', 'users', 'cwd', 'hosts', 'hours'];

export const openPolicy: Policy = {
  allow: {},
  deny: {},
  maxPower: null,
  software: {},
  signers: null,
  updates: null,
};

export class PolicyError extends Error {}

export function parsePolicy(text: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PolicyError('it is not JSON');
  }
  if (!isRecord(value)) throw new PolicyError('it is not an object');
  for (const key of Object.keys(value)) {
    if (!['allow', 'deny', 'maxPower', 'software', 'signers', 'updates'].includes(key)) {
      throw new PolicyError(`"${key}" is not a rule`);
    }
  }
  const { maxPower = null } = value;
  if (maxPower !== null && (typeof maxPower !== 'number' || !(maxPower > 0))) {
    throw new PolicyError('"maxPower" is not a positive number');
  }
  return {
    allow: parseLists(value.allow, 'allow'),
    deny: parseLists(value.deny, 'deny'),
    maxPower,
    software: isRecord(value.software) ? (value.software as Record<string, string>) : {},
    signers: read(value.signers, parseSigners),
    updates: read(value.updates, parseUpdates),
  };
}

function read<T>(value: unknown, parse: (value: unknown) => T): T | null {
  if (value === undefined) return null;
  try {
    return parse(value);
  } catch (error) {
    throw new PolicyError((error as Error).message);
  }
}

function parseLists(value: unknown, where: string): PolicyLists {
  const lists: Partial<Record<ListName, readonly string[]>> = {};
  if (value === undefined) return lists;
  if (!isRecord(value)) throw new PolicyError(`"${where}" is not an object`);
  for (const [key, list] of Object.entries(value)) {
    const name = listNames.find((one) => one === key);
    if (name === undefined) throw new PolicyError(`"${where}.${key}" is not a rule`);
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
      throw new PolicyError(`"${where}.${key}" is not a list of texts`);
    }
    if (name === 'hours') for (const span of list) parseSpan(span);
    lists[name] = list;
  }
  return lists;
}

/** What a job is judged by besides its spec. */
export type PolicyView = {
  readonly power: number;
  /** The chunks of it that this edge was given. */
  readonly chunks: RangeSet;
  readonly minuteOfDay: number;
  /** Where a job with this `cwd` really runs: absolute, without `..`, links followed. */
  readonly directoryOf: (cwd: string | null) => string;
};

/** Why this policy refuses a job, in words for its submitter, or `null`. */
export function refusalByPolicy(policy: Policy, spec: AgentSpec, view: PolicyView): string | null {
  const { power, minuteOfDay } = view;
  for (const [list, names, words] of judgedOf(spec, view)) {
    if (names.some((name) => controlCharacter.test(name))) {
      return `not allowed here: a control character in the ${list} of a job`;
    }
    if (!isAllowed(policy, list, names)) return `not allowed here: ${words}`;
  }
  const unsigned = policy.signers?.refusalOf(spec, view.chunks) ?? null;
  if (unsigned !== null) return `not allowed here: ${unsigned}`;
  const malformed = malformedIn(spec);
  if (malformed !== null) return `not allowed here: ${malformed}`;
  if (!isOpen(policy, minuteOfDay)) return 'not allowed here at this hour';
  if (policy.maxPower !== null && power > policy.maxPower) {
    return `power ${power} above what is allowed here (${policy.maxPower})`;
  }
  return null;
}

/** What no owner has to forbid: it would be read as something else than the job says it is. */
function malformedIn({ run }: AgentSpec): string | null {
  const strange = imagesOf(run).find((image) => !isImageName(image));
  if (strange !== undefined) return `"${strange}" is no name of an image`;
  const { options = [] } = Object.values(run)[0] as { options?: readonly string[] };
  const foreign = foreignOption(options);
  return foreign === null ? null : `option ${foreign}`;
}

/** Each list with the names that the job has for it, and how a refusal calls it. */
function judgedOf(spec: AgentSpec, view: PolicyView): [ListName, readonly string[], string][] {
  const executor = executorOf(spec.run);
  const judged: [ListName, readonly string[], string][] = [
    ['executors', namesOfExecutor(executor), `executor ${executor}`],
    ['users', [spec.createdBy], `user ${spec.createdBy || 'unknown'}`],
  ];
  const body = Object.values(spec.run)[0] as { cwd?: string | null };
  for (const image of imagesOf(spec.run)) {
    judged.push(['images', namesOfImage(image), `image ${image}`]);
  }
  if (withDirectory.has(executor)) {
    const directory = view.directoryOf(body.cwd ?? null);
    judged.push(['cwd', [directory], `working directory ${directory}`]);
  }
  return judged;
}

/** Who forbids containers, or allows them, means those of a pod as well. */
function namesOfExecutor(executor: string): readonly string[] {
  return executor === 'pod' ? ['pod', 'container'] : [executor];
}

function imagesOf(run: Run): readonly string[] {
  if ('container' in run) return [run.container.image];
  return containersOf(run).map(({ image }) => image);
}

/** Executors whose chunks run in a directory of the host. */
const withDirectory: ReadonlySet<string> = new Set(['process', 'slurm', 'flux']);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const controlCharacter = /[\u0000-\u001f\u007f]/;

/** A denied name among several of one thing denies it; one that is allowed allows it. */
function isAllowed(policy: Policy, list: ListName, names: readonly string[]): boolean {
  const matches = (patterns: readonly string[] | undefined): boolean =>
    (patterns ?? []).some((pattern) => names.some((name) => globOf(pattern).test(name)));
  if (matches(policy.deny[list])) return false;
  return policy.allow[list] === undefined || matches(policy.allow[list]);
}

/** Hosts from which jobs may fetch inputs, as addresses have them. */
export function allowsHost(policy: Policy, host: string): boolean {
  return isAllowed(policy, 'hosts', [host]);
}

/** The host itself, too: only what is named without any `*` was meant. */
export function namesHost(policy: Policy, host: string): boolean {
  return (policy.allow.hosts ?? []).includes(host);
}

export function isOpen(policy: Policy, minuteOfDay: number): boolean {
  const within = (spans: readonly string[]): boolean =>
    spans.some((span) => {
      const [from, to] = parseSpan(span);
      return from <= to
        ? minuteOfDay >= from && minuteOfDay < to
        : minuteOfDay >= from || minuteOfDay < to;
    });
  if (within(policy.deny.hours ?? [])) return false;
  return policy.allow.hours === undefined || within(policy.allow.hours);
}

function parseSpan(span: string): [number, number] {
  const match = /^([01]?\d|2[0-4]):([0-5]\d)-([01]?\d|2[0-4]):([0-5]\d)$/.exec(span);
  if (match === null) throw new PolicyError(`"${span}" is not a span of hours such as 18:00-08:00`);
  const [, fromHour, fromMinute, toHour, toMinute] = match.map(Number);
  return [fromHour! * 60 + fromMinute!, toHour! * 60 + toMinute!];
}

/** `*` stands for any text. */
function globOf(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`, 's');
}

/** A policy file under watch. */
export type PolicyFile = {
  current(): Policy;
  /** Looks at the file; `true` when another policy is in force than at the last look. */
  look(): boolean;
};

/**
 * Throws a `PolicyError` when the first reading fails: an edge with a broken policy must not start
 * open.
 */
export function openPolicyFile(path: string | null, log: Log): PolicyFile {
  if (path === null) return { current: () => openPolicy, look: () => false };
  let policy = readPolicy(path);
  let seen = stampOf(path);
  return {
    current: () => policy,
    look() {
      const stamp = stampOf(path);
      if (stamp === seen) return false;
      seen = stamp;
      try {
        policy = readPolicy(path);
        log(`The policy in ${path} changed and is in force.`);
        return true;
      } catch (error) {
        log(`${(error as Error).message} The one before stays in force.`, 'error');
        return false;
      }
    },
  };
}

function readPolicy(path: string): Policy {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new PolicyError(`The policy in ${path} cannot be read (${code ?? 'error'}).`);
  }
  try {
    return parsePolicy(text);
  } catch (error) {
    throw new PolicyError(`The policy in ${path} makes no sense: ${(error as Error).message}.`);
  }
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return 'absent';
  }
}
