/**
 * `npm run lint:openapi`: `docs/openapi.json`, judged by programs that nobody here wrote: redocly
 * and swagger-parser read it, openapi-typescript and openapi-python-client make clients of it. None
 * may warn, and none may lose an operation. Each must also find what is broken on purpose.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWith, node, root, Stop, toolEnvironment } from './repository.mjs';
import { ensureNodeTools } from './setup/node-tools.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensurePythonTool } from './setup/python-tools.mjs';

const document = join(root, 'docs', 'openapi.json');
const settings = join(root, 'scripts', 'openapi');

/** @typedef {(path: string, place: string) => string[]} Judge What it has to say against it. */

async function main() {
  ensurePackages();
  const npm = ensureNodeTools('openapi');
  if (npm.home === null) throw new Stop(npm.reason);
  const python = ensurePythonTool('openapi');
  if (python.folder === null) throw new Stop(python.reason);
  const judges = judgesIn(npm.home, python.folder);
  const place = mkdtempSync(join(tmpdir(), 'edgewise-openapi-'));
  let failed = 0;
  try {
    const broken = writeBroken(place);
    for (const [name, judge] of Object.entries(judges)) {
      const found = judge(document, place);
      for (const line of found) console.log(`${name}: ${line}`);
      const isBlind = judge(broken, place).length === 0;
      if (isBlind) console.log(`${name} finds nothing in a document that is broken on purpose`);
      failed += found.length > 0 || isBlind ? 1 : 0;
    }
  } finally {
    rmSync(place, { recursive: true });
  }
  console.log(`${Object.keys(judges).length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/** @param {string} home @param {string} programs @returns {Record<string, Judge>} */
function judgesIn(home, programs) {
  const bin = (/** @type {string} */ name) => join(home, 'node_modules', '.bin', name);
  return {
    redocly: (path) => run(bin('redocly'), ['lint', '--config', at('redocly.yaml'), path], home),
    'swagger-parser': (path) => {
      const program =
        'import parser from "@apidevtools/swagger-parser"; await parser.validate(process.argv[1]);';
      return run(node, ['--input-type=module', '-e', program, path], home);
    },
    'openapi-typescript': (path, place) => {
      const types = join(place, 'api.ts');
      const made = run(bin('openapi-typescript'), [path, '-o', types], home);
      if (made.length > 0) return made;
      return [...run(bin('tsc'), ['--noEmit', '--strict', types], home), ...lost(types)];
    },
    'openapi-python-client': (path, place) => {
      const out = join(place, 'client');
      rmSync(out, { recursive: true, force: true });
      const where = ['--path', path, '--output-path', out];
      const words = ['generate', '--config', at('openapi-python-client.yml'), '--fail-on-warning'];
      const made = run(join(programs, 'openapi-python-client'), [...words, ...where], place);
      return made.length > 0 ? made : lostInPython(out);
    },
  };
}

/** @param {string} name */
const at = (name) => join(settings, name);

/**
 * What a program said when it did not end well.
 *
 * @param {string} program
 * @param {readonly string[]} words
 * @param {string} cwd
 */
function run(program, words, cwd) {
  const env = toolEnvironment({ REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
  const done = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
  if (done.status === 0) return [];
  const said = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim();
  return [said || String(done.error?.message ?? `exit code ${done.status}`)];
}

/** @returns {string[]} */
function operations() {
  /** @type {{ paths: Record<string, Record<string, { operationId: string }>> }} */
  const { paths } = JSON.parse(readFileSync(document, 'utf8'));
  return Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
}

/** @param {string} path */
function lost(path) {
  const text = readFileSync(path, 'utf8');
  const missing = operations().filter((name) => !text.includes(`operations["${name}"]`));
  return missing.map((name) => `${name} is lost`);
}

/** @param {string} folder */
function lostInPython(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const snake = (/** @type {string} */ name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const missing = operations().filter(
    (name) => !files.some((file) => file.endsWith(`/${snake(name)}.py`)),
  );
  return missing.map((name) => `${name} is lost`);
}

/**
 * A judge that finds nothing must be able to find something.
 *
 * @param {string} place
 */
function writeBroken(place) {
  const broken = JSON.parse(readFileSync(document, 'utf8'));
  delete broken.components.schemas.JobBody;
  const path = join(place, 'broken.json');
  writeFileSync(path, JSON.stringify(broken));
  return path;
}

await main().catch(endWith);
