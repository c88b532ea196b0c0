import type { Cell, CellJob } from '../../../core/model/cell.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { Shelf, ShelfGroup } from '../../../core/shelf/shelf.ts';
import type { Bug } from '../bugs/bugs.ts';

/** Of jobs that wait outside of what a pass reads. */
export const shelfBugs: readonly Bug[] = [
  {
    name: 'shelf-lets-others-ahead',
    sentence: 'who comes later is placed before those that wait on the shelf',
    load: (cell) => withGroups(cell, (group) => ({ ...group, first: never })),
  },
  {
    name: 'shelf-is-not-read',
    sentence: 'what waits on the shelf is not read, also when nothing else is left',
    load: (cell) => withNext(cell, () => []),
  },
  {
    name: 'shelf-counts-who-comes-twice',
    sentence: 'a job that comes from the shelf is still counted there',
    commit: (plan, stored) => ({ ...plan, ...withGroupsOf(plan, stored) }),
  },
];

const never = { submittedAtMs: Number.MAX_SAFE_INTEGER, id: jobIdOf('never') };

function withGroups(cell: Cell, change: (group: ShelfGroup) => ShelfGroup): Cell {
  if (cell.shelf === undefined) return cell;
  const groups = new Map([...cell.shelf.groups].map(([name, group]) => [name, change(group)]));
  return { ...cell, shelf: { ...cell.shelf, groups } };
}

type Next = Shelf<CellJob>['next'] extends ReadonlyMap<string, infer Jobs> ? Jobs : never;

function withNext(cell: Cell, change: (jobs: Next) => Next): Cell {
  if (cell.shelf === undefined) return cell;
  const next = new Map([...cell.shelf.next].map(([name, jobs]) => [name, change(jobs)]));
  return { ...cell, shelf: { ...cell.shelf, next } };
}

function withGroupsOf({ shelf }: Plan, stored: Cell): Partial<Plan> {
  if (shelf === undefined || shelf.taken.size === 0) return {};
  const groups = [...shelf.groups].map(([name, group]) => {
    return [name, stored.shelf?.groups.get(name) ?? group] as const;
  });
  return { shelf: { ...shelf, groups: new Map(groups) } };
}
