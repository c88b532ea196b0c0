/**
 * The engine suite: every test that has a database under it, whether it starts one itself, runs the
 * local cloud in its own process, or starts the product as a user does. All of them must pass on
 * both engines. It is not a list that somebody keeps: a test belongs to it when it reaches
 * `local/test/engine.ts`, the one place that says which engine a run is on, through its imports; a
 * test of this repository refuses any other way to a database.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { root } from '../repository.mjs';

export const engines = /** @type {const} */ (['dynoxide', 'dynamodb-local']);

const folders = ['test', 'local/test'];
const origin = 'local/test/engine.ts';
/** What only stands where a script has made it, on an engine that it chooses. */
const elsewhere = ['test/ministack/', 'test/packages/'];
const javaNeeded = 17;

/** Paths of its files from the root. */
export function engineSuite() {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => `${folder}/${String(name).replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts')),
  );
  const imports = new Map(files.map((path) => [path, importsOf(path)]));
  const reaching = new Set([origin]);
  for (let before = 0; before < reaching.size; ) {
    before = reaching.size;
    for (const [path, targets] of imports) {
      if (targets.some((target) => reaching.has(target))) reaching.add(path);
    }
  }
  return files
    .filter((path) => path.endsWith('.test.ts') && reaching.has(path))
    .filter((path) => !elsewhere.some((folder) => path.startsWith(folder)))
    .sort();
}

/**
 * Files of ours that this one imports.
 *
 * @param {string} path
 */
function importsOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.ts)['"]/g)].map(
    ([, name = '']) => posix.normalize(posix.join(posix.dirname(path), name)),
  );
}

/**
 * Why this engine cannot run on this machine, or `null`.
 *
 * @param {string} engine
 */
export function whyNotOn(engine) {
  return engine === 'dynoxide' ? noBinary() : noJava();
}

function noBinary() {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return null;
  } catch {
    return `there is no ${name}`;
  }
}

function noJava() {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (status !== 0) return 'there is no Java on this machine';
  const major = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  return major >= javaNeeded ? null : `it needs Java ${javaNeeded}, and this is ${major}`;
}
