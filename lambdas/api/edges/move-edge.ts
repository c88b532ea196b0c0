import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import { type Held, heldBy, workElsewhere } from '../../../core/fleet/move-edge.ts';
import { seesPool } from '../../../core/model/caller.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import type { StoredEdge } from '../../../core/ports/edges.ts';
import { roomIn } from '../fleet/room-in-pool.ts';
import { contended } from '../http/outage.ts';
import { checkVersion } from '../http/precondition.ts';
import type { Context } from '../operation.ts';
import type { Ports } from '../ports.ts';
import type { ConfigChange, EdgeChange } from './configure-edge.ts';
import { visibleEdge } from './view/visible-edge.ts';

/**
 * An edge goes to another pool with its name, its secrets and its settings, which may change on the
 * way. One that has work is refused: its user drains it first. `null`: it is in that pool already.
 */
export async function moveEdge(
  asked: EdgeChange & { readonly pool: string },
  context: Context,
  deps: Pick<Ports, 'edges' | 'pools'>,
  change: ConfigChange,
): Promise<StoredEdge | null> {
  const { name, pool, precondition } = asked;
  const { caller, nowMs } = context;
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const shown = await visibleEdge(name, caller, deps);
    if (poolOfCell(shown.cell) === pool) return null;
    if (!seesPool(caller, pool)) throw new ProblemError('forbidden');
    await checkPool(deps, pool);
    const seen = await deps.edges.inCell(shown.cell, name);
    const identity = await deps.edges.identify(name);
    if (seen === null || identity === null || identity.cell !== shown.cell) continue;
    const { edge } = seen;
    checkVersion(precondition, edge.version);
    if (edge.unreadable !== undefined) {
      throw new ProblemError('conflict', `Mend or restore its row ${edge.unreadable} first.`);
    }
    const held = heldBy(edge);
    if (held !== 'nothing') throw new ProblemError('conflict', sentences[held]);
    const to = await roomIn(deps, pool, nowMs);
    const work = workElsewhere(edge.work);
    const config = change(edge.config);
    const outcome = await deps.edges.move({ identity, to, seen, config, work, nowMs });
    if (outcome !== 'moved') continue;
    const arrived = await deps.edges.load(to, name);
    if (arrived !== null) return arrived;
  }
  throw contended();
}

/** Pools come into being by jobs and by new edges, and not by a slip of the pen. */
async function checkPool({ pools }: Pick<Ports, 'pools'>, name: string): Promise<void> {
  const { pool, cells } = await pools.find(name);
  if (pool === null && cells.length === 0) throw invalid('/pool', `There is no pool "${name}".`);
}

const sentences: Readonly<Record<Exclude<Held, 'nothing'>, string>> = {
  leaving: 'This edge is being removed.',
  cluster: 'A cluster stays in its pool, as the tokens do by which others submit to it.',
  work: 'This edge has work: drain it first.',
  unconfirmed: 'It has not confirmed yet that it stopped its work; try again in a moment.',
};
