import { expect, test } from 'vitest';
import { watchIdentity } from '../../../edge-agent/edge/doubled-identity.ts';
import { doubledReportMs } from '../../../edge-agent/limits.ts';

test('an agent that is not alone says so once, gives way, and reports on until it is', () => {
  const lines: string[] = [];
  const ways: boolean[] = [];
  const due: number[] = [];
  const identity = watchIdentity(
    'edge-1',
    (line) => lines.push(line),
    (must) => ways.push(must),
  );
  const reporter = { need: (withinMs: number) => due.push(withinMs) };
  identity.note(false);
  identity.reported(reporter);
  expect([lines, ways, due]).toEqual([[], [], []]);
  identity.note(true);
  identity.note(true);
  identity.reported(reporter);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^edge-1: another agent uses the same identity/);
  expect([ways, due]).toEqual([[true], [doubledReportMs]]);
  identity.note(false);
  identity.reported(reporter);
  expect(lines[1]).toMatch(/no other agent/);
  expect([ways, due]).toEqual([[true, false], [doubledReportMs]]);
});
