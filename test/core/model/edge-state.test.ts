import { expect, test } from 'vitest';
import { type CellEdge, type EdgeWork, noEdgeWork } from '../../../core/model/cell.ts';
import { hasStatus } from '../../../core/model/edge-state.ts';
import { rewritesMax } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdge, makeReport, startMs, withEdge } from '../cell-fixture.ts';

/**
 * A list of the free edges has as many as the statistics count, whatever keeps the others from
 * being free.
 */
const work = (change: Partial<EdgeWork>): EdgeWork => ({ ...noEdgeWork, ...change });
const facts = makeEdge('any').facts!;
const since = { reason: 'x', sinceMs: startMs };

const cases: readonly (readonly [string, Partial<CellEdge>])[] = [
  ['nothing', {}],
  ['never seen', { report: null }],
  ['not connected', { report: makeReport({ connected: false }) }],
  ['cordoned', { config: { ...makeEdge('any').config, cordoned: since } }],
  ['being removed', { config: { ...makeEdge('any').config, removing: { force: false } } }],
  ['a disk that is full', { facts: { ...facts, flat: { health: 'disk-full' } } }],
  ['quarantined', { work: work({ quarantinedUntilMs: startMs + 1 }) }],
  ['quarantined once', { work: work({ quarantinedUntilMs: startMs - 1 }) }],
  ['unresponsive', { work: work({ epoch: 3, rewrites: rewritesMax, writtenAtMs: startMs }) }],
];

test.each(cases)('free, but for: %s', (_, change) => {
  const cell = withEdge(makeCell({ edges: [makeEdge('edge-0')] }), 'edge-0', change);
  const edge = cell.edges.get(edgeNameOf('edge-0'))!;
  const counted = reconcile(cell, startMs).meta?.summary.edges ?? cell.meta.summary.edges;
  expect(hasStatus(edge, 'free', startMs) ? 1 : 0).toBe(counted.free);
});
