import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillRun, hasTemplates, unknownNamesOf } from '../../../core/sweeps/fill-run.ts';
import { parseParameters } from '../../../core/sweeps/parameters.ts';
import { fillTemplate, unknownNames } from '../../../core/sweeps/template.ts';

/** As a shell writes a variable. */
const shell = (name: string): string => ['$', `{${name}}`].join('');

const at = { job: 'job-1', chunk: 7 };
const parameters = new Map<string, string | number>([
  ['lr', 0.1],
  ['constructor', 'c'],
  ['file', 'a {lr} b'],
]);

test.each([
  ['{chunk} of {job}', '7 of job-1'],
  [`{lr} {{chunk} }} ${shell('chunk')}`, `{lr} {7 }} ${shell('chunk')}`],
  ["awk '{ print $1 }'", "awk '{ print $1 }'"],
])('without parameters only the two names are replaced: %j', (text, wanted) => {
  expect(fillTemplate(text, { ...at, parameters: null })).toBe(wanted);
});

test.each([
  ['{lr} {params.lr} {chunk} {job}', '0.1 0.1 7 job-1'],
  ['{{lr}} {{{lr}}}', '{lr} {0.1}'],
  [`${shell('lr')} ${shell('X')}`, `${shell('lr')} ${shell('X')}`],
  ['{constructor}', 'c'],
  // What is put in is not looked at again.
  ['{file}', 'a {lr} b'],
  ['{ print $1 }', '{ print $1 }'],
])('with parameters their names are: %j', (text, wanted) => {
  expect(fillTemplate(text, { ...at, parameters })).toBe(wanted);
});

test('names that stand for nothing are known, those of the language are none', () => {
  const known = new Set(['lr']);
  expect(unknownNames(`{lr} {toString} {params.seed} ${shell('X')} {{y}} {chunk}`, known)).toEqual([
    'toString',
    'params.seed',
  ]);
});

test('a text in which braces are doubled comes out as it was written', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const doubled = text.replace(/[{}]/g, '$&$&');
      expect(fillTemplate(doubled, { ...at, parameters })).toBe(text);
      expect(unknownNames(doubled, new Set())).toEqual([]);
    }),
  );
});

const run = {
  process: {
    argv: ['train', '--lr={lr}', '{other}'],
    env: { OUT: 'out-{chunk}', X: '{x}' },
    cwd: null,
    timeoutSeconds: null,
  },
};

test('what a chunk runs has its values, and its environment tells them', () => {
  const filled = fillRun(run, { ...at, parameters: new Map([['lr', 0.1]]) });
  expect(filled).toEqual({
    process: {
      ...run.process,
      argv: ['train', '--lr=0.1', '{other}'],
      env: {
        OUT: 'out-7',
        X: '{x}',
        EDGEWISE_PARAM_LR: '0.1',
        EDGEWISE_PARAMS: '{"lr":0.1}',
      },
    },
  });
  expect(unknownNamesOf(run, new Set(['lr']))).toEqual([
    { pointer: '/run/process/argv/2', name: 'other' },
    { pointer: '/run/process/env/X', name: 'x' },
  ]);
  expect([hasTemplates(run), hasTemplates({ simulate: { seconds: 1 } })]).toEqual([true, false]);
});

test.each([
  ['no object', []],
  ['a nested value', { a: {} }],
  ['a name with a space', { 'a b': 1 }],
  ['two names of one variable', { a: 1, A: 2 }],
  ['a name that every chunk has', { chunk: 1 }],
  ['a NUL', { a: '\0' }],
  ['nothing', {}],
])('no set of parameters: %s', (_name, value) => {
  expect(parseParameters(value)).toBeNull();
});
