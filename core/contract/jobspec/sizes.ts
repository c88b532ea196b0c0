import { groupRunsMax } from './limits.ts';
import type { Mistakes } from './mistakes.ts';
import type { Choice, PlannedGroup, Unit } from './plan.ts';
import { type RunSize, runSizeOf, type Term } from './terms.ts';

/** What runs inside of a group is a part of what the group holds, never more. */
export function checkSizes(
  units: readonly Unit[],
  terms: ReadonlyMap<string, Term>,
  mistakes: Mistakes,
): void {
  for (const unit of units) {
    if (unit.kind === 'task') continue;
    for (const member of unit.members) checkMember(unit, member, terms, mistakes);
    checkRuns(unit, mistakes);
    checkSizes(unit.members, terms, mistakes);
  }
}

function checkMember(
  group: PlannedGroup,
  { choice, name }: Unit,
  terms: ReadonlyMap<string, Term>,
  mistakes: Mistakes,
): void {
  if (choice.names === group.choice.names) return;
  const inner = namedIn(choice, terms);
  const outer = namedIn(group.choice, terms);
  if (inner.some((it) => outer.some((room) => fitsWithin(it, room)))) return;
  const message =
    `"${name}" needs more than its group "${group.name}" holds: ` +
    `${sizeText(inner[0]!)} of ${sizeText(outer[0]!)}.`;
  mistakes.add(choice.pointer, message);
}

function checkRuns(group: PlannedGroup, mistakes: Mistakes): void {
  let runs = 0;
  for (const it of group.members) runs += it.kind === 'task' ? it.replicas : 1;
  if (runs <= groupRunsMax) return;
  const most = `A group has at most ${groupRunsMax} runs`;
  const message = `${most}; a task outside of one may have more.`;
  mistakes.add(`${group.pointer}/tasks`, message);
}

function namedIn({ names }: Choice, terms: ReadonlyMap<string, Term>): RunSize[] {
  return names.flatMap((name) => {
    const term = terms.get(name);
    return term === undefined ? [] : [allSlots(runSizeOf(term))];
  });
}

/** The slots of a group are held at once. */
function allSlots(size: RunSize): RunSize {
  return { ...size, slots: 1, nodes: size.nodes * size.slots };
}

export function fitsWithin(inner: RunSize, outer: RunSize): boolean {
  if (inner.nodes > outer.nodes) return false;
  for (const [type, needed] of inner.each) {
    const there = outer.each.get(type);
    // A whole node has of everything what it has.
    if (there === undefined ? outer.each.size > 0 : needed > there) return false;
  }
  return true;
}

export function sizeText({ nodes, each }: RunSize): string {
  const parts = [...each].map(([type, count]) => `${count} ${type}`);
  const node = nodes === 1 ? '1 node' : `${nodes} nodes`;
  return parts.length === 0 ? node : `${node} with ${parts.join(', ')}`;
}
