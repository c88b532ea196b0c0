import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobspecSchema } from '../../core/contract/jobspec/jobspec-schema.ts';
import { planJobspec } from '../../core/contract/jobspec/plan-jobspec.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { readPriorities } from '../../core/selection/priorities.ts';
import { documentAt } from './documents.ts';

/** What the page on jobspecs shows can be submitted as it stands there. */
const blocks = [...documentAt('docs/jobspecs.md').text.matchAll(/```yaml\n([\s\S]*?)```/g)];
const documents = blocks.map(([, text]) => parse(text!));
const jobspecs = documents.filter((it) => 'version' in it);

test.each(jobspecs)('a jobspec that the page shows is valid', (document) => {
  const checked = checkBody(jobspecSchema, document);
  expect(checked).toMatchObject({ ok: true });
  if (checked.ok) expect(planJobspec(checked.value)).toMatchObject({ ok: true });
});

test('the selection that it shows is one', () => {
  const selections = documents.filter(Array.isArray);
  expect([jobspecs.length, selections.length]).toEqual([2, 1]);
  for (const it of selections) expect(readPriorities(it)).toMatchObject({ ok: true });
});
