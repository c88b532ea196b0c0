/**
 * Synthesizes the CDK app into `cdk.out`, and builds the dashboard, when a source of theirs has
 * changed since the last time. Two starts at once take turns; what a running local cloud uses
 * stays, because assets are named after their content.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, node, root, Stop, toolEnvironment } from '../repository.mjs';

/** @import { Hash } from 'node:crypto' */

const cloudSources = ['adapters', 'core', 'lambdas', 'lib', 'cdk.json', 'package-lock.json'];
const dashboardSources = ['dashboard', 'core', 'package-lock.json'];

/** The stage that is meant where none is named. */
export const firstStage = 'production';

/** Where a stage is synthesized: each in a place of its own. */
export function synthesisOf(stage = firstStage) {
  return stage === firstStage ? join(root, 'cdk.out') : join(root, 'dist', `cdk.out-${stage}`);
}

export async function ensureSynthesis(stage = firstStage, say = console.error) {
  const release = await takeTurn('synthesis');
  try {
    const output = synthesisOf(stage);
    await ensureBuilt(say, {
      what: 'Synthesizing the stack',
      sources: cloudSources,
      result: join(output, 'Edgewise.template.json'),
      stamp: join(output, '.sources'),
      ...synthesisInto(output, stage),
    });
  } finally {
    release();
  }
}

/**
 * What a first start waits for, and no more. The CDK's command line tool takes a second to say this
 * to the app, which is a program of its own; the rules of AWS take two, and speak when the stack is
 * tested or deployed.
 *
 * @param {string} output
 * @param {string} stage
 */
export function synthesisInto(output, stage = firstStage) {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const chosen = { 'edgewise:stage': stage, 'edgewise:checks': 'off' };
  const settings = { ...context, 'aws:cdk:enable-path-metadata': true, ...chosen };
  const CDK_CONTEXT_JSON = JSON.stringify(settings);
  return {
    args: [join('lib', 'app.ts')],
    env: { CDK_OUTDIR: output, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false' },
  };
}

/** The directory of the built dashboard. */
export async function ensureDashboard(say = console.error) {
  const directory = join(root, 'dist', 'dashboard');
  const release = await takeTurn('dashboard');
  try {
    const vite = join('node_modules', 'vite', 'bin', 'vite.js');
    await ensureBuilt(say, {
      what: 'Building the dashboard',
      sources: dashboardSources,
      result: join(directory, 'index.html'),
      stamp: join(root, 'dist', '.dashboard-sources'),
      args: [vite, 'build', '--config', 'dashboard/vite.config.ts', '--logLevel', 'warn'],
    });
  } finally {
    release();
  }
  return directory;
}

/**
 * @typedef {object} Building
 * @property {string} what
 * @property {readonly string[]} sources
 * @property {string} result
 * @property {string} stamp
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 */

/** @param {(text: string) => void} say @param {Building} building */
async function ensureBuilt(say, { what, sources, result, stamp, args, env = {} }) {
  // Of the result as well: others write there, as `cdk synth` with flags of its own.
  const stampOf = () => hashOf([...sources, result]);
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf()) return;
  say(`${what} …`);
  const { code, signal, text } = await run(args, env);
  if (signal !== null) throw new Stop('Interrupted.');
  if (code !== 0 || !existsSync(result)) {
    throw new Stop(`${text.trimEnd()}\n${what} failed; the reason is above.`);
  }
  writeFileSync(stamp, stampOf());
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ code: number | null, signal: string | null, text: string }>}
 */
function run(args, env) {
  const child = spawn(node, args, {
    cwd: root,
    env: toolEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += part;
    });
  }
  return new Promise((end) => child.on('close', (code, signal) => end({ code, signal, text })));
}

/** @param {readonly string[]} sources */
function hashOf(sources) {
  const hash = createHash('sha256');
  for (const source of sources) hashTree(hash, source);
  return hash.digest('hex');
}

/** @param {Hash} hash @param {string} path */
function hashTree(hash, path) {
  const absolute = resolve(root, path);
  if (!existsSync(absolute)) return;
  if (!statSync(absolute).isDirectory()) {
    hash.update(`${path}\0`).update(readFileSync(absolute)).update('\0');
    return;
  }
  for (const name of readdirSync(absolute).sort()) hashTree(hash, join(path, name));
}

const turnMsMax = 120_000;

/**
 * One synthesis at a time on this clone. A turn whose holder is gone is taken over.
 *
 * @param {string} what
 */
async function takeTurn(what) {
  const lock = join(root, 'dist', `${what}.lock`);
  mkdirSync(join(root, 'dist'), { recursive: true });
  for (let waitedMs = 0; waitedMs < turnMsMax; waitedMs += 100) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch {
      if (!holderLives(lock)) rmSync(lock, { force: true });
      else await delay(100);
    }
  }
  throw new Stop(`Another start has been building for long; if none runs, remove ${lock}.`);
}

/** @param {string} lock */
function holderLives(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
