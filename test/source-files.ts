import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The sources as the architecture and tidy tests read them: every folder of ours, nothing
 * generated.
 */
export const root = join(import.meta.dirname, '..');

export type SourceFile = {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly lines: readonly string[];
};

export const folders = [
  'adapters',
  'bench',
  'bin',
  'cli',
  'clients',
  'core',
  'dashboard',
  'edge-agent',
  'lambdas',
  'lib',
  'local',
  'scripts',
  'test',
] as const;

const notOurs = /(^|\/)(node_modules|dist|cdk\.out|\.edgewise-local)$|\.generated\.ts$/;

let known: readonly SourceFile[] | undefined;

/** Read once for all tests of a process. */
export function sourceFiles(): readonly SourceFile[] {
  known ??= folders.flatMap((folder) => filesIn(folder, '{ts,tsx,mjs}')).sort(byPath);
  return known;
}

/** In other folders than code stands in, too: examples are programs. */
export function pythonFiles(): readonly SourceFile[] {
  return [...folders, 'examples'].flatMap((folder) => filesIn(folder, 'py')).sort(byPath);
}

function filesIn(folder: string, extension: string): SourceFile[] {
  const found = globSync(`${folder}/**/*.${extension}`, {
    cwd: root,
    exclude: (name) => notOurs.test(name),
  });
  return found.map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path: path.replaceAll('\\', '/'), folder, text, lines: text.split('\n') };
  });
}

const byPath = (a: SourceFile, b: SourceFile) => (a.path < b.path ? -1 : 1);

/** Module names that a file imports, types included. */
export function importsOf(file: SourceFile): string[] {
  const statement = /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]/gm;
  const bare = /^\s*import\s+['"]([^'"]+)['"]/gm;
  const called = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  return [statement, bare, called].flatMap((pattern) =>
    [...file.text.matchAll(pattern)].map((match) => match[1]!),
  );
}

/** `path:line: text` of every line that holds. */
export function placesOf(files: readonly SourceFile[], holds: (line: string) => boolean): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => (holds(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
}
