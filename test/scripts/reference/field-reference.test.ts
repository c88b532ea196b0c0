import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeFields } from '../../../core/contract/fields/describe-fields.ts';
import { jobBodySchema } from '../../../core/contract/job-body.ts';
import { checkBody } from '../../../core/contract/validation.ts';
import {
  fieldReference,
  fieldsOf,
  jobFileReference,
  schemaNames,
} from '../../../scripts/reference/field-reference.ts';

/** Every field has a sentence, and the pages have all of them. */
const page = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');

test.each(schemaNames)('each field of %s has a sentence in core/contract/fields/', (name) => {
  const bare = fieldsOf(name).filter(({ sentence }) => !/\w.*[.)]$/.test(sentence ?? ''));
  expect(bare.map(({ path }) => `${name}.${path}`)).toEqual([]);
});

test('the pages of fields are up to date: npm run docs:api', () => {
  expect(page('fields.md')).toBe(fieldReference());
  expect(page('job-file.md')).toBe(jobFileReference());
});

test('a field has the sentence of its place, then that of its name, then none', () => {
  const text = { type: 'string' };
  const time = { type: 'string', description: 'ISO 8601, UTC.' };
  const requires = { type: 'object', properties: { labels: text, unnamed: text } };
  const { JobBody } = describeFields({
    JobBody: { properties: { labels: text, createdAt: time, requires } },
  });
  expect(JobBody).toMatchObject({
    properties: {
      labels: { description: 'Labels of the job itself, to find it by.' },
      createdAt: { description: 'When it was made. ISO 8601, UTC.' },
      requires: {
        properties: {
          labels: { description: 'Labels that the edge must carry, with these values.' },
          unnamed: text,
        },
      },
    },
  });
});

test('the job file that the page shows is one', () => {
  const [, text] = /```yaml\n([\s\S]*?)```/.exec(jobFileReference()) ?? [];
  expect(checkBody(jobBodySchema, parse(text ?? ''))).toMatchObject({ ok: true });
});
