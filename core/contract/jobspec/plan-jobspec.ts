import type { FieldError } from '../validation.ts';
import { argvOf } from './command.ts';
import { type GroupNames, groupNames, type NamedGroup } from './group-names.ts';
import { inherited, type Level } from './inherited.ts';
import type { Jobspec, Task } from './jobspec-schema.ts';
import { jobspecTasksMax } from './limits.ts';
import { hint, Mistakes } from './mistakes.ts';
import { checkOrder, inOrder, type Waiting } from './order.ts';
import { parametersOf } from './parameters.ts';
import { type Choice, type JobspecPlan, type PlannedGroup, tasksOf, type Unit } from './plan.ts';
import { checkRequirements } from './requirements.ts';
import { checkSizes } from './sizes.ts';
import { hasLabel, isAmbiguous, type Term, termOf } from './terms.ts';

/**
 * Understands a jobspec whose form is right: who runs where, after whom, in whose allocation, with
 * which attributes. What cannot be meant is refused with its place, all of it at once.
 */
export type Planned =
  | { readonly ok: true; readonly plan: JobspecPlan }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export function planJobspec(spec: Jobspec): Planned {
  const mistakes = new Mistakes();
  const names = groupNames(spec, mistakes);
  if (names === null) return { ok: false, errors: mistakes.errors };
  const reader = new PlanReader(spec, names, mistakes);
  const units = reader.unitsOf(spec.tasks, '', null);
  const parameters = parametersOf(spec, mistakes);
  if (units.length === 0 && mistakes.none) mistakes.add('/tasks', 'A jobspec needs a task.');
  if (tasksOf(units).length > jobspecTasksMax) {
    const message = `A jobspec has at most ${jobspecTasksMax} tasks, those of its groups included.`;
    mistakes.add('/groups', message);
  }
  const { terms } = reader;
  checkRequirements(terms, mistakes);
  if (mistakes.none) checkSizes(units, terms, mistakes);
  if (!mistakes.none) return { ok: false, errors: mistakes.errors };
  const scheduled = new Set(
    Object.entries(spec.resources).flatMap(([name, { schedule }]) => (schedule ? [name] : [])),
  );
  return {
    ok: true,
    plan: {
      name: spec.name ?? null,
      units: inOrder(units),
      terms,
      requires: new Map(Object.entries(spec.requires ?? {})),
      scheduled: scheduled.size === 0 ? null : scheduled,
      parameters,
    },
  };
}

/** A group that is being read, with what it is a part of. */
type Place = {
  readonly named: NamedGroup;
  readonly choice: Choice;
  /** Of the resources of the groups around, and of these groups, from the outside in. */
  readonly resources: readonly Level[];
  readonly groups: readonly Level[];
};

class PlanReader {
  readonly terms: ReadonlyMap<string, Term>;
  readonly #spec: Jobspec;
  readonly #names: GroupNames;
  readonly #mistakes: Mistakes;

  constructor(spec: Jobspec, names: GroupNames, mistakes: Mistakes) {
    this.#spec = spec;
    this.#names = names;
    this.#mistakes = mistakes;
    this.terms = new Map(
      Object.entries(spec.resources).map(([name, it]) => [
        name,
        termOf(it, `/resources/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
      ]),
    );
  }

  /** What runs at one place: its tasks, the groups in the place of tasks, and the others. */
  unitsOf(tasks: readonly Task[], pointer: string, place: Place | null): readonly Unit[] {
    const waiting: Waiting[] = [];
    const units: Unit[] = [];
    for (const [at, task] of tasks.entries()) {
      const here = `${pointer}/tasks/${at}`;
      const waitsFor = namesIn(task.depends_on, here);
      if (task.group === undefined) {
        const name = task.name ?? `task-${at}`;
        waiting.push({ name, pointer: here, waitsFor });
        const unit = this.#task(task, name, here, place);
        if (unit !== null) units.push(unit);
        continue;
      }
      const named = this.#names.runBy(task);
      if (named === null) {
        waiting.push({ name: task.name ?? task.group, pointer: here, waitsFor });
        continue;
      }
      const { name: _, group: __, depends_on: ___, ...more } = task;
      if (Object.keys(more).length > 0) {
        const message =
          'A task that runs a group has a name and what it waits for, and nothing else.';
        this.#mistakes.add(`${here}/group`, message);
      }
      this.#group(named, task.name ?? named.name, waitsFor, place, { waiting, units });
    }
    for (const named of this.#names.byThemselves(place?.named ?? null)) {
      this.#group(named, named.name, [], place, { waiting, units });
    }
    checkOrder(waiting, this.#mistakes);
    const after = new Map(waiting.map((it) => [it.name, it.waitsFor.map(({ name }) => name)]));
    return units.map((unit) => ({ ...unit, after: [...new Set(after.get(unit.name) ?? [])] }));
  }

  #group(
    named: NamedGroup,
    name: string,
    waitsFor: Waiting['waitsFor'],
    place: Place | null,
    to: { readonly waiting: Waiting[]; readonly units: Unit[] },
  ): void {
    const { group, pointer } = named;
    to.waiting.push({
      name,
      pointer,
      waitsFor: [...waitsFor, ...namesIn(group.depends_on, pointer)],
    });
    const choice = this.#choice(group.resources, pointer, place);
    if (choice === null) return;
    const own = { attributes: group.attributes, name: `Group "${name}"`, pointer };
    const resources = [...(place?.resources ?? []), ...this.#resourceLevels(choice)];
    const groups = [...(place?.groups ?? []), own];
    const levels = [this.#document(), ...resources, ...groups];
    const { environment, cwd, durationSeconds } = inherited(levels, this.#mistakes);
    const inside = { named, choice, resources, groups };
    const members = this.unitsOf(group.tasks, pointer, inside);
    const unit: PlannedGroup = {
      kind: 'group',
      name,
      pointer,
      after: [],
      choice,
      requires: this.#requires(group.requires, pointer),
      environment,
      cwd,
      durationSeconds,
      members: inOrderIfClear(members, this.#mistakes),
      stopOnFailure: group.attributes?.stopOnFailure ?? false,
    };
    to.units.push(unit);
  }

  #task(task: Task, name: string, pointer: string, place: Place | null): Unit | null {
    const choice = this.#choice(task.resources, pointer, place);
    if (choice === null) return null;
    const own = { attributes: task.attributes, name: `Task "${name}"`, pointer };
    const resources = task.resources === undefined ? [] : this.#resourceLevels(choice);
    const outer = [...(place?.resources ?? []), ...resources, ...(place?.groups ?? [])];
    const levels = [this.#document(), ...outer, own];
    const { watch, ...attributes } = inherited(levels, this.#mistakes);
    this.#checkLocal(task, pointer, place);
    return {
      kind: 'task',
      name,
      pointer,
      after: [],
      choice,
      requires: this.#requires(task.requires, pointer),
      ...attributes,
      argv: this.#argv(task, pointer),
      replicas: task.replicas ?? 1,
      slot: this.#slot(task, choice, pointer),
      local: task.local ?? false,
      watch: task.watch ?? watch,
      stages: (task.steps ?? []).map(({ path }) => path),
    };
  }

  #argv(task: Task, pointer: string): readonly string[] {
    if (task.command === undefined) {
      const message = 'A task needs a command: a text or a list of texts.';
      this.#mistakes.add(`${pointer}/command`, message);
      return [];
    }
    const argv = argvOf(task.command);
    if (argv === null) {
      this.#mistakes.add(`${pointer}/command`, 'The script names no program that runs it.');
    }
    return argv ?? [];
  }

  #checkLocal(task: Task, pointer: string, place: Place | null): void {
    if (task.local !== true) return;
    const at = `${pointer}/local`;
    if (place === null) {
      this.#mistakes.add(at, 'Only a task of a group can be local: it runs where its group is.');
    } else if (task.resources !== undefined) {
      this.#mistakes.add(at, 'A local task has no place of its own; leave out its resources.');
    }
  }

  #slot(task: Task, choice: Choice, pointer: string): string | null {
    const { slot = null } = task;
    for (const name of choice.names) {
      const term = this.terms.get(name);
      if (term === undefined) continue;
      if (slot !== null && !hasLabel(term, slot)) {
        this.#mistakes.add(`${pointer}/slot`, `The resources "${name}" have no label "${slot}".`);
      } else if (slot === null && isAmbiguous(term)) {
        const message = `The resources "${name}" have several slots; say which by its label.`;
        this.#mistakes.add(`${pointer}/slot`, message);
      }
    }
    return slot;
  }

  #choice(asked: string | undefined, pointer: string, place: Place | null): Choice | null {
    const at = `${pointer}/resources`;
    if (asked === undefined) {
      if (place !== null) return { ...place.choice, within: place.choice };
      this.#mistakes.add(at, 'It is not said which resources are needed; name them.');
      return null;
    }
    if (/[,&]/.test(asked) && !this.terms.has(asked)) {
      const message = 'Asking for several resources at once is not supported; nest them in one.';
      this.#mistakes.add(at, message);
      return null;
    }
    const names = this.terms.has(asked) ? [asked] : asked.split('|').map((it) => it.trim());
    for (const name of names) {
      if (this.terms.has(name)) continue;
      const near = hint(name, this.terms.keys());
      const message = `The resources "${name}" are not among those that are listed.${near}`;
      this.#mistakes.add(at, message);
    }
    return { names, pointer: at, within: place?.choice ?? null };
  }

  #requires(asked: string | undefined, pointer: string) {
    if (asked === undefined) return null;
    const known = new Set(Object.keys(this.#spec.requires ?? {}));
    const names = known.has(asked) ? [asked] : asked.split('|').map((it) => it.trim());
    for (const name of names) {
      if (known.has(name)) continue;
      const near = hint(name, known);
      const message = `The requirements "${name}" are not among those that are listed.${near}`;
      this.#mistakes.add(`${pointer}/requires`, message);
    }
    return { names, pointer: `${pointer}/requires` };
  }

  #document(): Level {
    const { attributes, name } = this.#spec;
    return { attributes, name: name === undefined ? 'the jobspec' : `"${name}"`, pointer: '' };
  }

  /** Of a choice those of the first: which one it is, is not known before a cluster is. */
  #resourceLevels({ names }: Choice): readonly Level[] {
    const [name = ''] = names;
    const resource = this.#spec.resources[name];
    if (resource === undefined) return [];
    const pointer = this.terms.get(name)?.pointer ?? '';
    return [{ attributes: resource.attributes, name: `Resources "${name}"`, pointer }];
  }
}

function inOrderIfClear(members: readonly Unit[], mistakes: Mistakes): readonly Unit[] {
  return mistakes.none ? inOrder(members) : members;
}

function namesIn(names: readonly string[] | undefined, pointer: string): Waiting['waitsFor'] {
  return (names ?? []).map((name, at) => ({ name, pointer: `${pointer}/depends_on/${at}` }));
}
