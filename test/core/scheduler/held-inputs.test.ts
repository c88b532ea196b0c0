import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { bitsOf, heldText, says } from '../../../core/files/held-files.ts';
import { heldFilesMax } from '../../../core/files/limits.ts';
import type { CellEdge } from '../../../core/model/cell.ts';
import type { JobSpec } from '../../../core/model/job.ts';
import { factTextLengthMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { holdersOf } from '../../../core/scheduler/explain.ts';
import { makeCell, makeEdge, makeJob, startMs } from '../cell-fixture.ts';
import { held, rest } from '../stage.ts';

const digestOf = (text: string | number): string =>
  createHash('sha256').update(String(text)).digest('hex');
const data = digestOf('data set');
const inputs = [{ path: 'data', manifest: data }];

function edge(name: string, cached?: string | number, power = 200): CellEdge {
  const flat = { 'executors.simulate': '1', cacheBytes: 1e9 };
  return makeEdge(name, { power, flat: cached === undefined ? flat : { ...flat, cached } });
}

function placed(edges: readonly CellEdge[], over: Partial<JobSpec> = {}): Record<string, string> {
  const job = makeJob('job-a', { chunks: 1, inputs, ...over });
  return held(rest(makeCell({ edges: [...edges], jobs: [job] }), startMs).cell, 'job-a');
}

test('what was put in is always found, and hardly anything else, in the text of one fact', () => {
  const own = Array.from({ length: heldFilesMax }, (_, at) => digestOf(at));
  const text = heldText(own);
  expect(text).toMatch(/^[0-9a-v]+$/);
  expect(text).toHaveLength(factTextLengthMax);
  expect(own.filter((digest) => !says(text, bitsOf(digest)))).toEqual([]);
  const others = Array.from({ length: 10_000 }, (_, at) => digestOf(`other ${at}`));
  expect(others.filter((digest) => says(text, bitsOf(digest))).length).toBeLessThan(250);
});

test.each([undefined, '', 'undefined', 7, true, '\u{1f600}'.repeat(64), '-'.repeat(128), '\0'])(
  'what is no filter says nothing: %j',
  (cached) => {
    const asked = Array.from({ length: 500 }, (_, at) => bitsOf(digestOf(at)));
    expect(asked.filter((bits) => says(cached, bits))).toEqual([]);
  },
);

test.each(['spread', 'pack', 'fastest'] as const)(
  '%s: of edges that fit equally the one that has the inputs comes first',
  (policy) => {
    const placement = { policy, maxEdges: null, nodes: null };
    const text = heldText([data]);
    const edges = [
      edge('edge-0'),
      edge('edge-1', heldText([digestOf('else')])),
      edge('edge-2', text),
    ];
    expect(placed([...edges, edge('edge-3')], { placement })).toEqual({ 'edge-2': '0' });
    const more = { placement: { ...placement, maxEdges: 1 } };
    expect(placed([...edges, edge('edge-3')], more)).toEqual({ 'edge-2': '0' });
  },
);

test('a gang takes it among equal edges, too', () => {
  const placement = { policy: 'spread' as const, maxEdges: null, nodes: 2 };
  const edges = [edge('edge-0'), edge('edge-1'), edge('edge-2', heldText([data]))];
  expect(Object.keys(placed(edges, { chunks: 2, placement }))).toEqual(['edge-0', 'edge-2']);
});

test('who claims to have everything gets what an equal edge could get, and not more', () => {
  const everything = 'v'.repeat(factTextLengthMax);
  const liar = edge('edge-9', everything);
  expect(placed([edge('edge-0'), liar])).toEqual({ 'edge-9': '0' });
  // A roomier edge stands before it, and of two chunks each gets one.
  expect(placed([edge('edge-0', undefined, 400), liar])).toEqual({ 'edge-0': '0' });
  expect(placed([edge('edge-0'), liar], { chunks: 2 })).toEqual({ 'edge-0': '1', 'edge-9': '0' });
  const cordoned = { ...liar, config: { ...liar.config, cordoned: { reason: '', sinceMs: 0 } } };
  expect(placed([edge('edge-0'), cordoned])).toEqual({ 'edge-0': '0' });
  const plain = makeCell({
    edges: [edge('edge-0'), liar],
    jobs: [makeJob('job-a', { chunks: 1 })],
  });
  expect(held(rest(plain, startMs).cell, 'job-a')).toEqual({ 'edge-0': '0' });
});

test('explain names edges that fit and have inputs of the job', () => {
  const text = heldText([data]);
  const other = makeEdge('edge-2', { flat: { cached: text } });
  const edges = [edge('edge-0'), edge('edge-1', text), other];
  const cell = makeCell({ edges, jobs: [makeJob('job-a', { inputs }), makeJob('job-b')] });
  expect(holdersOf(cell, jobIdOf('job-a'))).toEqual(['edge-1']);
  expect(holdersOf(cell, jobIdOf('job-b'))).toEqual([]);
  expect(holdersOf(cell, jobIdOf('job-c'))).toEqual([]);
});

/**
 * Ten jobs over one data set, each beside one over another, in turn before and after it; a job has
 * two chunks that fill an edge of eight. Answers the copies of both that edges fetch.
 */
function copiesFetched(tells: boolean): number {
  const has = new Map<string, Set<string>>();
  const sets = ['data set', 'other set'].map(digestOf);
  for (let round = 0; round < 10; round++) {
    const edges = Array.from({ length: 8 }, (_, at) => {
      const own = has.get(`edge-${at}`);
      return edge(`edge-${at}`, tells && own !== undefined ? heldText(own) : undefined);
    });
    const order = round % 2 === 0 ? sets : sets.toReversed();
    const jobs = order.map((manifest, at) =>
      makeJob(`job-${at}`, { chunks: 2, chunkPower: 200, inputs: [{ path: 'data', manifest }] }),
    );
    const { cell } = rest(makeCell({ edges, jobs }), startMs);
    for (const [at, manifest] of order.entries()) {
      for (const name of Object.keys(held(cell, `job-${at}`))) {
        has.set(name, (has.get(name) ?? new Set()).add(manifest));
      }
    }
  }
  return [...has.values()].reduce((sum, own) => sum + own.size, 0);
}

test('ten jobs over one data set beside ten over another: half of the bytes stay where they are', () => {
  expect(copiesFetched(false)).toBe(8);
  expect(copiesFetched(true)).toBe(4);
});
