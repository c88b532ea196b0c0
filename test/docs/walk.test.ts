import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source-files.ts';
import { declares } from './declared-names.ts';
import { codeIn, type Document, documentAt, sectionOf, tableRows } from './documents.ts';

/** `docs/walk.md` names the file and the function of every step; each of them is there. */
const page = documentAt('docs/walk.md');

const journeys: Readonly<Record<string, number>> = {
  Submit: 40,
  'A report': 20,
  'A lost edge': 12,
  'A cancel': 10,
  'A GraphQL query': 7,
  'What else moves': 5,
};

/** The second and the third column: one file, and at least one name in it. */
function missingIn(text: string): string[] {
  return tableRows(text).flatMap(([step = '', file = '', functions = '']) => {
    const [path, ...more] = codeIn(file);
    const names = codeIn(functions);
    if (path === undefined || more.length > 0) return [`step "${step}" is in no one file`];
    if (names.length === 0) return [`step "${step}" names no function of ${path}`];
    if (!existsSync(join(root, path))) return [`there is no ${path}`];
    const source = readFileSync(join(root, path), 'utf8');
    const gone = names.filter((name) => !declares(source, name));
    return gone.map((name) => `${path} declares no ${name}`);
  });
}

function shortSections(it: Pick<Document, 'text'>): string[] {
  return Object.entries(journeys).flatMap(([heading, stepsMin]) => {
    const section = sectionOf(it, heading);
    if (section === null) return [`there is no "${heading}"`];
    const steps = tableRows(section).length;
    return steps < stepsMin ? [`"${heading}" has ${steps} steps`] : [];
  });
}

test('every file and function of the walk is there', () => {
  expect(missingIn(page.text)).toEqual([]);
});

test('every journey is walked', () => {
  expect(shortSections(page)).toEqual([]);
});

test('steps are counted from one', () => {
  for (const heading of Object.keys(journeys).slice(0, -1)) {
    const steps = tableRows(sectionOf(page, heading) ?? '').map(([step]) => Number(step));
    expect(steps, heading).toEqual(steps.map((_, at) => at + 1));
  }
});

test('a step that is gone is seen', () => {
  const text = [
    '| step | file | function | what it does |',
    '|---|---|---|---|',
    '| 1 | `core/scheduler/reconcile.ts` | `decide`, `decideAll` | |',
    '| 2 | `core/scheduler/gone.ts` | `decide` | |',
    '| 3 | `core/scheduler/reconcile.ts` | nothing | |',
    '| 4 | somewhere | `decide` | |',
    '| 5 | `edge-agent/edge/edge.ts` | `#report`, `report`, `decide` | |',
  ].join('\n');
  expect(missingIn(text)).toEqual([
    'core/scheduler/reconcile.ts declares no decideAll',
    'there is no core/scheduler/gone.ts',
    'step "3" names no function of core/scheduler/reconcile.ts',
    'step "4" is in no one file',
    'edge-agent/edge/edge.ts declares no report',
  ]);
  const without = page.text.replace('## A cancel', '## Another thing');
  expect(shortSections({ text: without })).toEqual(['there is no "A cancel"']);
});

test('a call is no declaration', () => {
  const source = [
    'class Edge {',
    '  async flush(): Promise<void> {',
    '    await send(() => {',
    '      expire(pass, {',
    '        lost: [],',
    '      });',
    '    });',
    '  }',
    '  keep: (name: string) => void;',
    '}',
  ].join('\n');
  expect(['flush', 'keep'].map((name) => declares(source, name))).toEqual([true, true]);
  expect(['send', 'expire', 'lost'].map((name) => declares(source, name))).not.toContain(true);
});
