import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { chunkDeathsMax } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { makeEdge, makeReport, startMs, withProgress } from '../cell-fixture.ts';
import { connect, held, slice, withReport } from '../stage.ts';
import { readyIn, said, serviceStage, settle, web } from './service-stage.ts';

/** Instances of a service that take their agent, or its host, down with them. */

/** The agent of the edge was started anew, and runs what it held. */
function reboot(cell: Cell, edge: string, boot: number, atMs: number): Cell {
  const reported = withReport(cell, edge, { [web]: said(cell, edge, '') }, atMs);
  const report = reported.edges.get(edgeNameOf(edge))!.report!;
  const progress = { ...report.progress!, boot: `boot-${boot}` };
  return settle(withProgress(reported, edge, progress, atMs), atMs);
}

/** When it was last taken from its edge, and for how long it waits then. */
function waitsOf(cell: Cell, boots: number, everyMs: number): number[] {
  const waits: number[] = [];
  let at = cell;
  let starts = 0;
  for (let boot = 0; boot < boots; boot++) {
    const atMs = startMs + 10_000 + boot * everyMs;
    at = reboot(settle(at, atMs), 'edge-0', boot, atMs);
    const retry = slice(at, web).retries.get(0);
    if (retry === undefined || retry.failures === starts) continue;
    starts = retry.failures;
    expect(retry.last).toBe('killed-its-edges');
    waits.push(retry.dueAtMs - atMs);
    expect(held(at, web)).toEqual({});
  }
  return waits;
}

test('one that kills its agent again and again waits longer each time before it starts again', () => {
  const waits = waitsOf(serviceStage(1, 1), chunkDeathsMax + 8, 10_000);
  expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(new Set(waits.slice(4))).toEqual(new Set([8_000]));
});

test('one that runs for long between the deaths of its agent is not to blame', () => {
  expect(waitsOf(serviceStage(1, 1), 3 * chunkDeathsMax, 60_000)).toEqual([]);
});

test('one that is there when three edges are lost waits before it is given to another', () => {
  let cell = serviceStage(1, 1);
  const waits: number[] = [];
  for (let loss = 0; loss < 4; loss++) {
    const atMs = startMs + 10_000 + loss * 180_000;
    const [name] = Object.keys(held(cell, web));
    cell = settle(connect(cell, name!, false, atMs), atMs);
    const report = makeReport({ receivedAtMs: atMs, connectionAtMs: atMs });
    const next = makeEdge(`next-${loss}`, { report, flat: { services: true } });
    cell = { ...cell, edges: new Map(cell.edges).set(next.name, next) };
    const lostAtMs = atMs + 130_000;
    cell = settle(cell, lostAtMs);
    waits.push(slice(cell, web).retries.get(0)!.dueAtMs - lostAtMs);
    cell = settle(cell, lostAtMs + 30_000);
    expect(Object.keys(held(cell, web))).toEqual([next.name]);
    cell = withReport(cell, next.name, { [web]: said(cell, next.name, '') }, lostAtMs + 30_000);
    cell = settle(cell, lostAtMs + 30_000);
  }
  expect(waits).toEqual([0, 0, 1_000, 2_000]);
  expect(readyIn(cell)).toEqual([]);
});
