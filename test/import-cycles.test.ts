import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/**
 * No module needs a module that needs it. While it runs, what is loaded first would depend on who
 * asks; and a type that two files define together belongs into one, or into a third.
 */

/** What a file imports of ours, types included, and commands that are loaded when they are used. */
function targetsOf(file: SourceFile): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.normalize(posix.join(posix.dirname(file.path), name)));
}

/** Groups of files that reach each other (Tarjan's strongly connected components). */
function cyclesOf(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, targetsOf(file)]));
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

test('no modules import each other, not even types', () => {
  expect(cyclesOf(sourceFiles())).toEqual([]);
});

test('a cycle is seen', () => {
  const file = (path: string, text: string): SourceFile => ({
    path,
    folder: 'core',
    text,
    lines: text.split('\n'),
  });
  const a = file('core/a.ts', "import { b } from './b.ts';\n");
  const b = file('core/b.ts', "const a = () => import('./c.ts');\n");
  const c = file('core/c.ts', "export { type A } from './a.ts';\n");
  expect(cyclesOf([a, b, c])).toEqual(['core/a.ts, core/b.ts, core/c.ts']);
  const types = file('core/b.ts', "import type { A } from './a.ts';\n");
  expect(cyclesOf([a, types])).toEqual(['core/a.ts, core/b.ts']);
  expect(cyclesOf([a, file('core/b.ts', "import { join } from 'node:path';\n")])).toEqual([]);
});
