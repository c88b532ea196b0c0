import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMeta, encodeMeta } from '../../adapters/dynamodb/rows/rows-cell.ts';
import {
  decodeEdge,
  decodeFacts,
  encodeEdge,
  encodeFacts,
} from '../../adapters/dynamodb/rows/rows-edge.ts';
import { decodeIntent, encodeIntent } from '../../adapters/dynamodb/rows/rows-slice.ts';
import { jobBodySchema } from '../../core/contract/job-body.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { chooseCells } from '../../core/fleet/choose-cells.ts';
import type { Cell, CellEdge, CellJob, CellMeta } from '../../core/model/cell.ts';
import { cellFactsOf, parseFacts } from '../../core/model/edge-facts.ts';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { parseProgressReport } from '../../core/protocol/progress-report.ts';
import { encodeWork, parseWork } from '../../core/protocol/work.ts';
import { workOf } from '../../core/protocol/work-of.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { explain } from '../../core/scheduler/explain.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import { edgeView } from '../../lambdas/api/edges/view/edge-view.ts';
import { labelsOf } from '../../lambdas/api/http/label-query.ts';
import { makeCell, makeEdge, makeJob, startMs } from './cell-fixture.ts';

/**
 * What people and edges call things may be the name of something that every object answers for.
 * Such a name is given to every map of the contract, and must do what any other name does.
 */
const hostile = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then', 'length'];
const nameArb = fc.constantFrom(...hostile);

/** As JSON makes it: `__proto__` is a key like any other. */
function table<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries);
}

/** The same with plain names: what has to come out, but for the names. */
const plain = new Map(hostile.map((name, at) => [name, `plain-${at}`]));

function settled(cell: Cell): Cell {
  return applyPlan(cell, reconcile(cell, startMs));
}

function edgeOf(name: string, words: readonly string[], value: string): CellEdge {
  const facts = parseFacts(
    JSON.parse(
      JSON.stringify({
        capacity: table([['power', 250], ...words.map((word) => [word, 4] as const)]),
        labels: table(words.map((word) => [word, value])),
        facts: { deep: table(words.map((word) => [word, value])) },
      }),
    ),
  );
  expect(facts).not.toBeNull();
  return { ...makeEdge(name), facts: cellFactsOf(facts!) };
}

function jobFor(words: readonly string[], value: string): CellJob {
  return makeJob('job-a', {
    chunks: 2,
    resources: table(words.map((word) => [word, 1])),
    labels: table(words.map((word) => [word, value])),
    queue: 'constructor',
    run: {
      process: { argv: ['true'], env: table([['A', value]]), cwd: null, timeoutSeconds: null },
    },
    requires: {
      labels: table(words.map((word) => [word, value])),
      expressions: words.flatMap((word) => [
        { key: word, op: '=' as const, value },
        { key: `labels.${word}`, op: 'exists' as const },
        { key: `facts.deep.${word}`, op: 'in' as const, value: [value] },
      ]),
      edges: [],
    },
  });
}

/** What a cell comes to in which edges and a job use the words. */
function outcomeOf(words: readonly string[]) {
  const edges = [
    edgeOf('edge-has', words, 'yes'),
    edgeOf('edge-other', words, 'no'),
    edgeOf('edge-none', [], 'no'),
  ];
  const job = jobFor(words, 'yes');
  const cell = settled(makeCell({ edges, jobs: [job] }));
  const lone = settled(makeCell({ edges: edges.slice(2), jobs: [job] }));
  const offers = [cell, lone].map(({ meta }, at) => ({
    id: at === 0 ? meta.id : (`default.${at}` as typeof meta.id),
    pool: 'default',
    summary: meta.summary,
  }));
  const asked = { chunking: job.intent.chunking, spec: { pool: 'default', ...job.intent.spec } };
  return {
    holders: [...cell.edges.values()].map((edge) => edge.work?.leases.get(job.id)?.ranges ?? []),
    waiting: explain(lone, job.id, startMs).map(({ reason, edges: count }) => [reason, count]),
    chosen: chooseCells(offers, asked),
    summaries: offers.map(({ summary }) => ({ ...summary, labels: null })),
    labels: Object.values(cell.meta.summary.labels),
  };
}

describe('a name that every object answers for', () => {
  test('places, explains and chooses cells as any other name does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(nameArb, { minLength: 1, maxLength: 5 }), (words) => {
        const twins = words.map((word) => plain.get(word)!);
        expect(outcomeOf(words)).toEqual(outcomeOf(twins));
      }),
    );
  });

  test.each(hostile)('an edge without the label %s has none', (word) => {
    for (const requires of [
      { labels: table([[word, 'x']]), expressions: [], edges: [] },
      { labels: {}, expressions: [{ key: word, op: 'exists' as const }], edges: [] },
      { labels: {}, expressions: [{ key: `facts.${word}`, op: 'exists' as const }], edges: [] },
    ]) {
      const job = makeJob('job-a', { requires });
      const cell = settled(makeCell({ edges: [makeEdge('edge-0')], jobs: [job] }));
      expect(cell.edges.get(edgeNameOf('edge-0'))?.work ?? null).toBeNull();
      const [cellChosen] = chooseCells(
        [{ id: cell.meta.id, pool: 'default', summary: cell.meta.summary }],
        { chunking: job.intent.chunking, spec: { pool: 'default', ...job.intent.spec } },
      );
      expect(cellChosen?.cell).toBe(cell.meta.id);
    }
    const wanted = makeJob('job-b', { resources: table([[word, 1]]) });
    const cell = settled(makeCell({ edges: [makeEdge('edge-0')], jobs: [wanted] }));
    expect(cell.edges.get(edgeNameOf('edge-0'))?.work ?? null).toBeNull();
  });

  test.each(hostile)('rows bring %s back', (word) => {
    const { config, facts } = edgeOf('edge-0', [word], 'yes');
    const settings = { ...config, labels: table([[word, 'v']]), capacity: table([[word, 3]]) };
    const cell = makeCell().meta;
    const edge = edgeNameOf('edge-0');
    expect(Object.entries(decodeEdge(encodeEdge(cell.id, edge, settings)).labels)).toEqual([
      [word, 'v'],
    ]);
    const read = decodeFacts(encodeFacts(cell.id, edge, facts!));
    expect(Object.entries(read.labels)).toEqual([[word, 'yes']]);
    expect(Object.entries(read.capacity)).toContainEqual([word, 4]);
    expect(Object.entries(read.flat)).toEqual([[`deep.${word}`, 'yes']]);
    const summary = { ...cell.summary, labels: table([[word, ['a']]]) };
    const meta: CellMeta = { ...cell, summary };
    expect(Object.entries(decodeMeta(encodeMeta(meta)).summary.labels)).toEqual([[word, ['a']]]);
    const { intent } = jobFor([word], 'yes');
    const back = decodeIntent(encodeIntent(cell.id, jobIdOf('job-a'), intent));
    for (const [sent, kept] of [
      [intent.spec.requires.labels, back.spec.requires.labels],
      [intent.spec.resources, back.spec.resources],
    ] as const) {
      expect(Object.entries(kept)).toEqual(Object.entries(sent));
    }
  });

  test.each(hostile)('the view of an edge shows %s', (word) => {
    const edge = edgeOf('edge-0', [word], 'yes');
    const stored = { ...edge, cell: makeCell().meta.id, version: 1, allFacts: {}, cluster: null };
    const view = edgeView(stored, new Map(), 0);
    expect(Object.entries(view.labels)).toEqual([[word, 'yes']]);
    expect(Object.entries(view.capacity)).toContainEqual([word, 4]);
    expect(Object.entries(view.free)).toContainEqual([word, 4]);
    expect(labelsOf([`${word}=yes`])).toEqual([[word, 'yes']]);
  });

  test.each(hostile)('a job that asks for %s is stored as it was sent, or refused', (word) => {
    const named = `{"${word}":"v"}`;
    const sent = `{"chunkPower":1,"chunks":1,"labels":${named},"requires":{"labels":${named}},
      "run":{"process":{"argv":["true"],"env":${named}}}}`;
    const read = checkBody(jobBodySchema, JSON.parse(sent));
    if (!read.ok) {
      expect(word).toBe('__proto__');
      return;
    }
    expect(Object.entries(read.value.labels)).toEqual([[word, 'v']]);
    expect(Object.entries(read.value.requires.labels)).toEqual([[word, 'v']]);
  });

  test('jobs, edges, queues and pools may be called constructor', () => {
    const job = makeJob('constructor', { queue: 'constructor', pool: 'constructor', chunks: 2 });
    const edge = makeEdge('constructor');
    const queues = new Map([['constructor', { weight: 2, strict: false, quota: null }]]);
    const cell = settled(makeCell({ edges: [edge], jobs: [job], queues }));
    const { work } = cell.edges.get(edge.name)!;
    const document = encodeWork(workOf(work!, cell.jobs), []);
    const received = parseWork(JSON.parse(JSON.stringify(document)));
    expect([...received!.jobs.keys()]).toEqual(['constructor']);
    const report = parseProgressReport(
      JSON.parse(`{"e":1,"w":{"constructor":{"d":"0","x":{"constructor":1}}}}`),
    );
    expect([...report!.jobs.keys()]).toEqual(['constructor']);
  });
});
