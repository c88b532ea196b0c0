import { expect, test } from 'vitest';
import { mergeWaiting, withCellWords } from '../../../core/jobs/waiting.ts';
import { waitingExamplesMax } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { WaitingCount } from '../../../core/model/plan.ts';

function busy(chunks: number, ...edges: string[]): WaitingCount {
  const examples = edges.map(edgeNameOf);
  return { reason: 'no-free-power', chunks, edges: edges.length, examples, detail: 'is busy' };
}

test('the same reason from several cells is one, with a few examples of all of them', () => {
  const gone: WaitingCount = { ...busy(2), reason: 'no-edges', detail: 'the pool is empty' };
  const merged = mergeWaiting([busy(3, 'a', 'b'), gone, busy(4, 'c', 'd', 'e')]);
  expect(merged).toEqual([{ ...busy(7, 'a', 'b', 'c'), edges: 5 }, gone]);
  expect(merged[0]!.examples).toHaveLength(waitingExamplesMax);
  expect(mergeWaiting([])).toEqual([]);
});

test('of a service it is said that edges of other cells are not for it, where one would help', () => {
  const of = (reason: WaitingCount['reason'], detail: string): WaitingCount => {
    return { reason, chunks: 1, edges: 1, examples: [], detail };
  };
  const counts = [of('no-free-power', 'all is taken'), of('no-edges', ''), of('backoff', 'soon')];
  const words = 'a service stays in one cell of its pool, and 4 edges are in others';
  expect(withCellWords(counts, 4).map(({ detail }) => detail)).toEqual([
    `all is taken; ${words}`,
    words,
    'soon',
  ]);
  expect(withCellWords(counts, 0)).toBe(counts);
});
