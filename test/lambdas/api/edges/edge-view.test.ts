import { expect, test } from 'vitest';
import { noEdgeWork } from '../../../../core/model/cell.ts';
import { crashingWithinMs } from '../../../../core/model/limits.ts';
import { edgeView } from '../../../../lambdas/api/edges/view/edge-view.ts';
import { makeCell, makeEdge, startMs } from '../../../core/cell-fixture.ts';

test('an edge whose agent starts again and again says so, until it has held for a while', () => {
  const edge = makeEdge('edge-0');
  const starts = { earlier: [], returnedAtMs: null, doubledAtMs: null };
  const noticedAtMs = [startMs + 2, startMs + 1, startMs];
  const work = { ...noEdgeWork, starts: { ...starts, noticedAtMs } };
  const cell = makeCell().meta.id;
  const stored = { ...edge, work, cell, version: 1, allFacts: {}, cluster: null };
  const viewAt = (atMs: number) => edgeView(stored, new Map(), atMs);
  expect(viewAt(startMs + 3)).toMatchObject({
    crashing: true,
    reason: 'its agent was started anew 3 times within ten minutes: look at its log',
  });
  expect(viewAt(startMs + crashingWithinMs)).toMatchObject({ crashing: false, reason: null });
});
