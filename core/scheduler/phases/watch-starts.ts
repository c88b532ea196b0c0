import { connectionsBeforeStartIsKept } from '../../model/limits.ts';
import { doubledUntilMs, isDoubled, nextStarts } from '../../model/starts.ts';
import { type EdgeDraft, lookAgain, type Pass } from '../pass/draft.ts';
import { blameRunning } from '../pass/poison.ts';
import { canAfford, edgeCost, touchEdge } from '../plan/rows.ts';

/**
 * Another start of an agent means that the one before died; one that comes back means that there
 * are two of them with one identity. Their edge gets nothing new, and its document says so to both,
 * until only one has reported for a while.
 */
export function watchStarts(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    const progress = edge.source.report?.progress ?? null;
    const { before } = edge;
    if (progress !== null && progress.boot !== '' && progress.boot !== before.boot) {
      const isRestart = !(before.starts?.earlier.includes(progress.boot) ?? false);
      if (isRestart && !isDoubled(before.starts)) blameRunning(pass, edge, progress);
      if (isKept(edge) && canAfford(pass, edgeCost(edge))) {
        if (before.boot === '') touchEdge(pass, edge, false);
        else noteStarts(pass, edge, nextStarts(before.starts, before, progress, pass.nowMs));
      }
    }
    endDoubled(pass, edge);
  }
}

/** Most first starts are remembered with whatever the edge is given first. */
function isKept({ before, source }: EdgeDraft): boolean {
  const connections = source.report?.connectionVersion ?? 0;
  return before.boot !== '' || connections >= connectionsBeforeStartIsKept;
}

function noteStarts(pass: Pass, edge: EdgeDraft, starts: NonNullable<EdgeDraft['starts']>): void {
  const isNews = isDoubled(starts) && !isDoubled(edge.starts);
  if (isNews) pass.alarms.push({ kind: 'identity-doubled', edge: edge.name });
  edge.starts = starts;
  touchEdge(pass, edge, isNews);
}

function endDoubled(pass: Pass, edge: EdgeDraft): void {
  const untilMs = doubledUntilMs(edge.starts);
  if (untilMs === null) return;
  if (pass.nowMs < untilMs) {
    lookAgain(pass, untilMs);
  } else if (canAfford(pass, edgeCost(edge))) {
    edge.starts = { ...edge.starts!, returnedAtMs: null, doubledAtMs: 0 };
    touchEdge(pass, edge, true);
  }
}
