import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { type SourceFile, sourceFiles } from './source-files.ts';

/**
 * No module needs, while it runs, a module that needs it: what is loaded first would then depend on
 * who asks. Types may point both ways.
 */

/** What a file imports by value, commands that are loaded when they are used included. */
function valuesOf(file: SourceFile): string[] {
  const statement = /^(?:import|export)\s+(?!type\b)([^'"`;]*?)\bfrom\s+['"](\.[^'"]+)['"]/gm;
  const bare = /^import\s+['"](\.[^'"]+)['"]/gm;
  const called = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g;
  const names = [...file.text.matchAll(statement)]
    .filter(([, clause]) => !onlyTypes(clause!))
    .map(([, , name]) => name!);
  const others = [bare, called].flatMap((pattern) =>
    [...file.text.matchAll(pattern)].map(([, name]) => name!),
  );
  return [...names, ...others].map((name) =>
    posix.normalize(posix.join(posix.dirname(file.path), name)),
  );
}

function onlyTypes(clause: string): boolean {
  const named = /^\{([^}]*)\}\s*$/.exec(clause);
  if (named === null) return false;
  const names = named[1]!.split(',').map((name) => name.trim());
  return names.every((name) => name === '' || name.startsWith('type '));
}

/** Groups of files that reach each other (Tarjan's strongly connected components). */
function cyclesOf(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, valuesOf(file)]));
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path)!, low.get(next)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1) cycles.push(group.sort().join(', '));
  };
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return cycles.sort();
}

test('no modules import each other by value', () => {
  expect(cyclesOf(sourceFiles())).toEqual([]);
});

test('a cycle is seen, one of types alone is none', () => {
  const file = (path: string, text: string): SourceFile => ({
    path,
    folder: 'core',
    text,
    lines: text.split('\n'),
  });
  const a = file('core/a.ts', "import { b } from './b.ts';\n");
  const b = file('core/b.ts', "const a = () => import('./c.ts');\n");
  const c = file('core/c.ts', "export { a } from './a.ts';\n");
  expect(cyclesOf([a, b, c])).toEqual(['core/a.ts, core/b.ts, core/c.ts']);
  const types = file('core/c.ts', "import type { A } from './a.ts';\n");
  const inline = file('core/c.ts', "import { type A, type B } from './a.ts';\n");
  expect(cyclesOf([a, b, types])).toEqual([]);
  expect(cyclesOf([a, b, inline])).toEqual([]);
});
