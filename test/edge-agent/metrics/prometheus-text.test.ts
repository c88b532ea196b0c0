import { expect, test } from 'vitest';
import { prometheusText } from '../../../edge-agent/metrics/prometheus-text.ts';
import { parseScrape } from './prometheus-grammar.ts';

test('what would end a label or a line is escaped, and numbers are those of the format', () => {
  const samples = [
    { labels: { a: 'x"\\\n}', b: '' }, value: 1.5e-7 },
    { labels: { a: 'y' }, value: Number.POSITIVE_INFINITY },
    { labels: { a: 'z' }, value: Number.NaN },
  ];
  const text = prometheusText([{ name: 'one', help: 'a\\b\nc', type: 'gauge', samples }]);
  expect(text).toBe(
    String.raw`# HELP one a\\b\nc
# TYPE one gauge
one{a="x\"\\\n}",b=""} 1.5e-7
one{a="y"} +Inf
one{a="z"} NaN
`,
  );
  expect(parseScrape(text).get('one')?.series.size).toBe(3);
});

test.each([
  ['one 1', 'no end'],
  ['one 1\n', 'out of place'],
  ['# TYPE one gauge\none 1\n', 'says nothing'],
  ['# HELP one x\n# TYPE one gauge\none{a="b} 1\n', 'not of the format'],
  ['# HELP one x\n# TYPE one gauge\none 1\none 2\n', 'there twice'],
  ['# HELP one x\n# TYPE one counter\none -1\n', 'falls'],
  ['# HELP one x\n# TYPE one gauge\n\n', 'not of the format'],
])('the grammar of these tests refuses %j', (text, words) => {
  expect(() => parseScrape(text)).toThrow(words);
});
