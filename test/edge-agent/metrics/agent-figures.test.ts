import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { noWork } from '../../../core/protocol/work.ts';
import type { RunningChunk } from '../../../edge-agent/edge/next-steps.ts';
import {
  familiesOf,
  type ObservedAgent,
  type ObservedEdge,
} from '../../../edge-agent/metrics/agent-figures.ts';
import { prometheusText } from '../../../edge-agent/metrics/prometheus-text.ts';
import { parseScrape } from './prometheus-grammar.ts';

const job = jobIdOf('job');
const chunk = { attempt: 1, power: 20, stopping: false };

function edge(over: Partial<ObservedEdge> = {}): ObservedEdge {
  const memory = { work: noWork, ledgers: new Map(), contactAtMs: 5_000 };
  return { state: 'connected', running: new Map(), memory, refused: 0, ...over };
}

function scrape(edges: readonly ObservedEdge[], over: Partial<ObservedAgent> = {}) {
  const process = { startedAtMs: 1_000, cpuSeconds: 0.25, residentBytes: 1e8 };
  const ends = { done: 4, failed: 1, stopped: 0 };
  const agent = { version: '1.2.3', transport: 'mqtt', capacityPower: 250, journal: 'ok', ends };
  return prometheusText(familiesOf({ ...agent, process, edges, ...over }));
}

test('chunks are counted by what they are, over all edges', () => {
  const chunks = new Map<number, RunningChunk>([
    [0, chunk],
    [1, { ...chunk, stopping: true }],
    [2, { ...chunk, sending: { failure: null, durationMs: 1 } }],
  ]);
  const busy = edge({ running: new Map([[job, chunks]]), refused: 2 });
  const text = scrape([busy, busy, edge({ state: 'offline' })]);
  const read = parseScrape(text);
  const series = (name: string) => Object.fromEntries(read.get(name)!.series);
  expect(series('edgewise_chunks')).toEqual({
    'state="running"': 2,
    'state="stopping"': 2,
    'state="sending"': 2,
  });
  expect(series('edgewise_edges')).toMatchObject({ 'state="connected"': 2, 'state="offline"': 1 });
  expect(series('edgewise_power')).toEqual({ '': 750 });
  expect(series('edgewise_jobs_refused')).toEqual({ '': 4 });
  expect(read.get('edgewise_chunks_ended_total')?.type).toBe('counter');
  expect(series('edgewise_chunks_ended_total')).toMatchObject({ 'end="failed"': 1 });
});

test('the contact that is longest ago is the one that shows, and none is 0', () => {
  const contactOf = (edges: readonly ObservedEdge[]) =>
    parseScrape(scrape(edges)).get('edgewise_last_contact_timestamp_seconds')!.series.get('');
  const never = edge({ memory: { work: noWork, ledgers: new Map(), contactAtMs: null } });
  expect(contactOf([edge()])).toBe(5);
  expect(contactOf([edge(), never])).toBe(0);
});

test('a journal that takes nothing is seen', () => {
  const read = parseScrape(scrape([edge()], { journal: 'disk-full' }));
  expect(read.get('edgewise_journal_ok')?.series.get('')).toBe(0);
});

test('a thousand edges have as many series as one', () => {
  const lines = (text: string): number => text.split('\n').length;
  const many = Array.from({ length: 1_000 }, () => edge());
  expect(lines(scrape(many))).toBe(lines(scrape([edge()])));
});
