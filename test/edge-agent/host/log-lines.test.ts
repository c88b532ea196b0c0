import { expect, test } from 'vitest';
import { makeLog, parseLog } from '../../../edge-agent/host/log-lines.ts';

function written(format: string, level: string, say: (log: ReturnType<typeof makeLog>) => void) {
  let all = '';
  const write = (text: string): void => {
    all += text;
  };
  say(makeLog(parseLog(format, level), { write, nowMs: () => 0 }));
  return all;
}

const three = (log: ReturnType<typeof makeLog>): void => {
  log('edge-1: connected');
  log('edge-1: not connected: x: y', 'warning');
  log('The disk is full.\nReally.', 'error');
};

test('as text a line stays as it is', () => {
  expect(written('text', 'info', three)).toBe(
    'edge-1: connected\nedge-1: not connected: x: y\nThe disk is full.\nReally.\n',
  );
});

test('as JSON each is one object on one line, with its level and its edge', () => {
  const lines = written('json', 'info', three).trimEnd().split('\n');
  const time = '1970-01-01T00:00:00.000Z';
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time, level: 'info', edge: 'edge-1', message: 'connected' },
    { time, level: 'warning', edge: 'edge-1', message: 'not connected: x: y' },
    { time, level: 'error', message: 'The disk is full.\nReally.' },
  ]);
});

test.each([
  ['info', 3],
  ['warning', 2],
  ['error', 1],
])('%s leaves out what is less', (level, count) => {
  expect(written('json', level, three).trimEnd().split('\n')).toHaveLength(count);
});

test('other formats and levels are refused in words', () => {
  expect(() => parseLog('xml')).toThrow('--log-format is text or json, not "xml"');
  expect(() => parseLog('json', 'loud')).toThrow('--log-level is info, warning, error, not "loud"');
});
