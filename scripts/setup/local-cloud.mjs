/**
 * Starts the local cloud on a state directory and waits until it is ready; a start that fails is
 * one sentence.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChildProcess } from '../process/child-process.mjs';
import { codeOf, Stop } from '../repository.mjs';
import { synthesisOf } from './synthesis.mjs';

/** @import { CloudFlags } from './flags.mjs' */

const readyMsMax = 60_000;
const goneMsMax = 500;

export const defaults = { portBase: 4566, state: process.env.EDGEWISE_STATE || '.edgewise' };

/**
 * Refuses a second instance before anything is built for it. One that was just killed needs a
 * moment to be gone.
 *
 * @param {string} state
 */
export async function refuseSecond(state) {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const running = readEndpoints(state);
    if (running === null || !isAlive(running.pid)) return;
    if (waitedMs >= goneMsMax) {
      throw new Stop(
        `A local cloud already runs on ${state} (process ${running.pid}, ${running.api}). ` +
          'Stop it, or choose another --state and --port-base.',
      );
    }
    await delay(50);
  }
}

/**
 * `dashboard` is the folder that fills the bucket of the page, as `aws s3 sync` does after a
 * deployment.
 *
 * @param {CloudFlags & { dashboard?: string | null }} flags
 */
export async function startCloud({
  state,
  portBase,
  database,
  stage,
  streamShards,
  allowedHosts = [],
  parameters = [],
  dashboard = null,
}) {
  // Another start may have come first while this one was installing or building.
  await refuseSecond(state);
  // Left over by one that was killed; whoever waits for it must not take it for the new one.
  rmSync(join(state, 'endpoints.json'), { force: true });
  const args = ['--app', synthesisOf(stage), '--stack', 'Edgewise'];
  args.push('--port-base', String(portBase), '--state', state);
  if (database !== undefined) args.push('--database', database);
  if (streamShards !== undefined) args.push('--stream-shards', String(streamShards));
  for (const name of allowedHosts) args.push('--allow-host', name);
  // A receiver of events on this machine is another program, and not the control plane itself.
  for (const one of ['LoopbackReceivers=allowed', ...parameters]) args.push('--parameter', one);
  if (dashboard !== null) args.push('--files', `DashboardBucket=${dashboard}`);
  const cloud = startChildProcess({
    name: 'local cloud',
    script: 'local/main.ts',
    args,
    logPath: join(state, 'log', 'cloud.log'),
  });
  for (let waitedMs = 0; waitedMs < readyMsMax; waitedMs += 50) {
    const endpoints = readEndpoints(state);
    if (endpoints !== null && endpoints.pid === cloud.pid) return { cloud, endpoints };
    if (cloud.hasEnded()) {
      await cloud.ended;
      const said = cloud.lastLines().at(-1);
      throw new Stop(
        said ?? `The local cloud did not start; see ${join(state, 'log', 'cloud.log')}.`,
      );
    }
    await delay(50);
  }
  await cloud.stop(1_000);
  throw new Stop(
    `The local cloud was not ready after ${readyMsMax / 1_000} s; see ${state}/log/cloud.log.`,
  );
}

/**
 * @typedef {object} Endpoints
 * @property {string} api
 * @property {string} token
 * @property {number} pid
 * @property {Record<string, string>} outputs
 */

/**
 * @param {string} state
 * @returns {Endpoints | null}
 */
export function readEndpoints(state) {
  const path = join(state, 'endpoints.json');
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * One that was killed may stand in the list of processes as long as nobody asks how it ended, which
 * in a container without an init is for ever.
 *
 * @param {number} pid
 */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return !isDefunct(pid);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** @param {number} pid */
function isDefunct(pid) {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
