import { dependenciesMax } from '../../model/limits.ts';
import { hint, type Mistakes } from './mistakes.ts';
import type { Unit } from './plan.ts';

/** What waits for what among those that stand beside each other. */
export type Waiting = {
  readonly name: string;
  readonly pointer: string;
  readonly waitsFor: readonly { readonly name: string; readonly pointer: string }[];
};

/** Refuses two of one name, names that are not there, and circles, each by the names. */
export function checkOrder(beside: readonly Waiting[], mistakes: Mistakes): void {
  const byName = new Map<string, Waiting>();
  for (const it of beside) {
    if (byName.has(it.name))
      mistakes.add(`${it.pointer}/name`, `Two tasks are named "${it.name}".`);
    else byName.set(it.name, it);
  }
  let isClear = true;
  for (const it of beside) {
    for (const { name, pointer } of it.waitsFor) {
      if (name === it.name) mistakes.add(pointer, `"${name}" waits for itself.`);
      else if (!byName.has(name)) {
        const near = hint(name, byName.keys());
        mistakes.add(pointer, `There is no task "${name}" to wait for.${near}`);
      } else continue;
      isClear = false;
    }
    if (new Set(it.waitsFor.map(({ name }) => name)).size > dependenciesMax) {
      const message = `"${it.name}" waits for more than ${dependenciesMax} others; use a group.`;
      mistakes.add(`${it.pointer}/depends_on`, message);
    }
  }
  if (isClear) checkCircles(beside, byName, mistakes);
}

function checkCircles(
  beside: readonly Waiting[],
  byName: ReadonlyMap<string, Waiting>,
  mistakes: Mistakes,
): void {
  const done = new Set<Waiting>();
  const onWay: Waiting[] = [];
  const visit = (it: Waiting): boolean => {
    if (done.has(it)) return false;
    const before = onWay.indexOf(it);
    if (before >= 0) {
      const names = onWay.slice(before).map(({ name }) => `"${name}"`);
      const last = names.pop()!;
      const message = `${names.join(', ')} and ${last} wait for each other.`;
      mistakes.add(`${onWay[before]!.pointer}/depends_on`, message);
      return true;
    }
    onWay.push(it);
    const found = it.waitsFor.some(({ name }) => visit(byName.get(name)!));
    onWay.pop();
    done.add(it);
    return found;
  };
  beside.some(visit);
}

/** Each after those it waits for, otherwise as they were written. */
export function inOrder(units: readonly Unit[]): readonly Unit[] {
  const order: Unit[] = [];
  const done = new Set<string>();
  for (let open = [...units]; open.length > 0; ) {
    const ready = open.filter((unit) => unit.after.every((name) => done.has(name)));
    if (ready.length === 0) throw new Error('units that wait for each other were not refused');
    for (const { name } of ready) done.add(name);
    order.push(...ready);
    open = open.filter((unit) => !done.has(unit.name));
  }
  return order;
}
