import { tableWritesAtOnce } from '../../../core/model/limits.ts';
import type { Inventory } from '../../../core/ports/inventory.ts';
import type { EdgeEvent } from '../../../core/protocol/edge-event.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import type { Log } from '../../log.ts';
import { type ApplyingDeps, applyAtOnce } from './apply-at-once.ts';

export type StoreReportsDeps = {
  readonly inventory: Inventory;
  readonly log: Log;
  /** How reports are applied at once; without it, that is left to the pass of the stream. */
  readonly applying?: ApplyingDeps;
};

/** What became of an event; `unknown-edge` is one of an edge that is not or no longer enrolled. */
export type StoreOutcome = 'stored' | 'older' | 'unknown-edge' | 'failed';

/**
 * Stores what edges said, whichever way it came. Of several events of one kind from one edge the
 * newest alone is written, because each replaces the one before. An event that could not be stored
 * is `failed`, and its sender tries again. Few reports of a quiet cell are applied at once, in the
 * commit that stores them.
 */
export async function storeReports(
  deps: StoreReportsDeps,
  events: readonly EdgeEvent[],
): Promise<StoreOutcome[]> {
  const outcomes: StoreOutcome[] = events.map(() => 'older');
  const newest = newestOf(events);
  const applied = await applyAtOnce(
    deps.applying,
    newest.map((at) => events[at]!),
  );
  for (const at of newest) if (applied.has(events[at]!)) outcomes[at] = 'stored';
  const rest = newest.filter((at) => !applied.has(events[at]!));
  if (rest.length === 0) return outcomes;
  const cells = await deps.inventory.cellsOf(rest.map((at) => events[at]!.edge));
  deps.applying?.edges.remember(cells);
  await forEachLimited(rest, tableWritesAtOnce, async (at) => {
    const event = events[at]!;
    const cell = cells.get(event.edge);
    if (cell === undefined) {
      outcomes[at] = 'unknown-edge';
      deps.log.info('an edge that is not enrolled reported', { edge: event.edge });
      return;
    }
    try {
      outcomes[at] = await deps.inventory.store(cell, event);
    } catch (error) {
      outcomes[at] = 'failed';
      deps.log.error('the report of an edge could not be stored', { edge: event.edge, error });
    }
  });
  return outcomes;
}

/** Positions of the newest event of each edge and subject. */
function newestOf(events: readonly EdgeEvent[]): number[] {
  const newest = new Map<string, number>();
  events.forEach((event, at) => {
    const key = `${event.edge} ${subjectOf(event)}`;
    const before = newest.get(key);
    if (before === undefined || supersedes(event, events[before]!)) newest.set(key, at);
  });
  return [...newest.values()];
}

function subjectOf(event: EdgeEvent): string {
  return event.kind === 'connected' || event.kind === 'disconnected' ? 'presence' : event.kind;
}

function supersedes(event: EdgeEvent, other: EdgeEvent): boolean {
  const [mine, theirs] = [event.version, other.version];
  if (mine === null || theirs === null || mine === theirs) {
    if (event.kind === 'disconnected' && other.kind === 'connected') return true;
    if (event.kind === 'connected' && other.kind === 'disconnected') return false;
    return event.atMs >= other.atMs;
  }
  return mine > theirs;
}
