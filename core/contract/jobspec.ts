import { jobspecTasksMax } from '../model/limits.ts';
import { isName } from '../model/names.ts';
import { namedValue } from '../protocol/named-values.ts';
import { type FlatTask, flatTasks } from './jobspec-groups.ts';
import type { Attributes, Jobspec, Requirement, Resource } from './jobspec-schema.ts';
import type { FieldError } from './validation.ts';

/**
 * Jobspecs of version 1 (Flux's later form, with tasks and groups by name), translated into bodies
 * of jobs: each task becomes a job, `depends_on`
 * becomes `dependsOn`, a resource's nodes become a gang and what is below a node is asked of each
 * of them; its replicas are slots that may be anywhere, one chunk each.
 *
 * Refused with its place, instead of being ignored as elsewhere: steps, choices between resources
 * (`a|b`), subsystems, and resources or tasks that are named but not there.
 */
export type JobspecTask = {
  readonly name: string;
  readonly after: readonly string[];
  /** A job's body, still to be checked like any other. */
  readonly body: Readonly<Record<string, unknown>>;
};

export type Translation =
  | { readonly ok: true; readonly tasks: readonly JobspecTask[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Tasks in an order in which each comes after those it depends on. */
export function translateJobspec(spec: Jobspec): Translation {
  const { tasks, errors } = flatTasks(spec);
  if (tasks.length === 0 && errors.length === 0) {
    errors.push({ pointer: '/tasks', message: 'A jobspec needs a task.' });
  }
  if (tasks.length > jobspecTasksMax) {
    const message = `A jobspec has at most ${jobspecTasksMax} tasks, those of its groups included.`;
    errors.push({ pointer: '/groups', message });
  }
  for (const task of tasks) errors.push(...taskErrors(spec, task));
  return errors.length > 0 ? { ok: false, errors } : sorted(spec, tasks);
}

function taskErrors(spec: Jobspec, task: FlatTask): FieldError[] {
  const errors: FieldError[] = [];
  const { pointer, resources: asked, resourcesAt } = task;
  if (/[|,&]/.test(asked)) {
    const message = 'Asking for one of several resources is not supported; name one.';
    errors.push({ pointer: resourcesAt, message });
  } else if (spec.resources[asked] === undefined) {
    const message = `The resources "${asked}" are not among those that are listed.`;
    errors.push({ pointer: resourcesAt, message });
  } else {
    errors.push(...replicaErrors(spec.resources[asked], task));
  }
  if (argvOf(task.command) === null) {
    const message = 'Only scripts of sh, bash, dash, zsh and python can be run.';
    errors.push({ pointer: `${pointer}/command`, message });
  }
  return errors;
}

function replicaErrors(resource: Resource, task: FlatTask): FieldError[] {
  const errors: FieldError[] = [];
  const replicas = (task.replicas ?? 1) * (resource.replicas ?? 1);
  if (replicas > 1 && sizeOf(resource).nodes > 1) {
    const message = 'Replicas of a task over several nodes are not supported.';
    errors.push({ pointer: `${task.pointer}/replicas`, message });
  }
  if ((resource.with ?? []).some(hasSlots)) {
    const message = 'Replicas below another resource are not supported.';
    errors.push({ pointer: `/resources/${task.resources}/with`, message });
  }
  return errors;
}

function hasSlots(resource: Resource): boolean {
  return resource.replicas !== undefined || (resource.with ?? []).some(hasSlots);
}

/**
 * A text is a line for the shell, or a script that names its own interpreter; `null` when that one
 * is not known.
 */
function argvOf(command: FlatTask['command']): string[] | null {
  if (typeof command !== 'string') return [...command];
  if (!command.startsWith('#!')) return ['sh', '-c', command];
  const words = command.split('\n', 1)[0]!.slice(2).trim().split(/\s+/);
  const program = words.at(-1)!.split('/').at(-1)!;
  return /^(sh|bash|dash|zsh|python[\d.]*)$/.test(program) ? [...words, '-c', command] : null;
}

type Size = { readonly nodes: number; readonly each: Readonly<Record<string, number>> };

const plural: Readonly<Record<string, string>> = { core: 'cores', gpu: 'gpus', node: 'nodes' };

/** A node's own parts are asked of each node; parts without a node are asked of one edge. */
function sizeOf(resource: Resource): Size {
  const each = new Map<string, number>();
  const add = (part: Resource, times: number) => {
    const count = times * (part.count ?? 1);
    const name = namedValue(plural, part.type) ?? part.type;
    if (isCounted(part.type)) each.set(name, (each.get(name) ?? 0) + count);
    for (const inner of part.with ?? []) add(inner, count);
  };
  const isNode = resource.type === 'node';
  if (isNode) for (const part of resource.with ?? []) add(part, 1);
  else add(resource, 1);
  return { nodes: isNode ? (resource.count ?? 1) : 1, each: Object.fromEntries(each) };
}

const containers = new Set(['node', 'rack', 'cluster', 'socket', 'slot']);
const isCounted = (type: string): boolean => !containers.has(type);

function bodyOf(spec: Jobspec, task: FlatTask): Record<string, unknown> {
  const resource = spec.resources[task.resources]!;
  const { nodes, each } = sizeOf(resource);
  const attributes: Attributes = { ...spec.attributes, ...task.attributes };
  const env = Object.entries(attributes.environment ?? {}).map(([key, value]) => [
    key,
    String(value),
  ]);
  return {
    name: nameFor(task.name),
    chunks: nodes > 1 ? nodes : (task.replicas ?? 1) * (resource.replicas ?? 1),
    resources: each,
    run: {
      process: {
        argv: argvOf(task.command) ?? [],
        env: Object.fromEntries(env),
        cwd: attributes.cwd ?? null,
        timeoutSeconds: secondsOf(attributes.duration),
      },
    },
    requires: { expressions: requirementsOf(resource) },
    placement: { nodes: nodes > 1 ? nodes : null },
    labels: {
      'jobspec/task': task.name,
      ...(spec.name === undefined ? {} : { jobspec: spec.name }),
    },
  };
}

/** Names here are narrower than task names: what does not fit is only a label. */
function nameFor(task: string): string | null {
  const name = task.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  return isName(name) ? name : null;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsOf(duration: Attributes['duration']): number | null {
  if (duration === undefined) return null;
  if (typeof duration === 'number') return duration === 0 ? null : Math.ceil(duration);
  const unit = unitSeconds[duration.at(-1) ?? ''] ?? 1;
  const seconds = Math.ceil(Number.parseFloat(duration) * unit);
  return seconds === 0 ? null : seconds;
}

function requirementsOf(resource: Resource): unknown[] {
  const own = (resource.requires ?? []).flatMap(expressionsOf);
  return [...own, ...(resource.with ?? []).flatMap(requirementsOf)];
}

/** Of a software that is named its version is asked; anything else is a fact of the edge. */
function expressionsOf({ name, field, match, value, min, max }: Requirement): unknown[] {
  const isSoftware = field === 'version' && name !== undefined && name !== 'system';
  const key = isSoftware ? `software.${name}` : `facts.${field}`;
  const bounds = [
    { key, op: '=', value: match ?? value },
    { key, op: '>=', value: min },
    { key, op: '<=', value: max },
  ].filter((it) => it.value !== undefined);
  return bounds.length === 0 ? [{ key, op: 'exists' }] : bounds;
}

function sorted(spec: Jobspec, tasks: readonly FlatTask[]): Translation {
  const done = new Set<string>();
  const order: FlatTask[] = [];
  for (let open = [...tasks]; open.length > 0; ) {
    const ready = open.filter((task) => task.after.every((name) => done.has(name)));
    if (ready.length === 0) {
      const message = 'These tasks wait for each other in a circle.';
      return { ok: false, errors: [{ pointer: `${open[0]!.pointer}/depends_on`, message }] };
    }
    for (const task of ready) done.add(task.name);
    order.push(...ready);
    open = open.filter((task) => !done.has(task.name));
  }
  const translated = order.map((task) => ({
    name: task.name,
    after: task.after,
    body: bodyOf(spec, task),
  }));
  return { ok: true, tasks: translated };
}
