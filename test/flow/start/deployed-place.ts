import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoints, readEndpoints } from '../../../cli/local/endpoints-file.ts';
import type { Page } from '../../../core/contract/resources.ts';
import { follow, killHard, type Place, processesOf, removed, type Stage, until } from './stage.ts';

/**
 * A place on a stage that stands already, wherever that is; the file that is given has its address
 * and token. Edges and jobs of a test go when it ends, so that the next one finds the stage empty.
 * What only a local cloud has is refused.
 */
export function deployedPlace(endpointsFile: string): Place {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-stage-'));
  const state = join(directory, '.edgewise');
  const file = join(state, 'endpoints.json');
  mkdirSync(state);
  // Whoever finds the file looks whether the one who wrote it still runs.
  const said = { ...JSON.parse(readFileSync(endpointsFile, 'utf8')), pid: process.pid };
  writeFileSync(file, JSON.stringify(said), { mode: 0o600 });
  const endpoints = (): Endpoints => readEndpoints(file)!;
  const fleets: Stage[] = [];
  return {
    directory,
    state,
    portBase: 0,
    where: [],
    start: (...flags) => {
      const fleet = startFleet(directory, edgesIn(flags));
      fleets.push(fleet);
      return fleet;
    },
    cloud: async () => follow(spawn('true')),
    run: localOnly,
    endpoints,
    processes: () => processesOf(directory).map(({ line }) => line),
    pids: () => processesOf(directory),
    denials: () => [],
    expectDenials: localOnly,
    remove: async () => {
      for (const { pid } of processesOf(directory)) killHard(pid);
      for (const fleet of fleets) fleet.process.kill('SIGKILL');
      await clear(endpoints());
      await until('its directory is gone', () => removed(directory));
    },
  };
}

function localOnly(): never {
  throw new Error('this needs a local cloud');
}

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'edgewise.mjs');
const firstEdge = 10;

/** The edges that `npm start` brings, without the rest of it. */
function startFleet(directory: string, edges: number): Stage {
  const range = [String(firstEdge), String(firstEdge + edges)];
  const words = [program, 'fleet', ...range, '--data', join(directory, 'edges')];
  const env = { PATH: process.env.PATH, HOME: directory };
  return follow(
    spawn(process.execPath, words, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

function edgesIn(flags: readonly string[]): number {
  return Number(flags[flags.indexOf('--edges') + 1] ?? 0);
}

type Named = { readonly name: string };
type Known = { readonly id: string };

async function clear({ api, token }: Endpoints): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const list = async <T>(path: string): Promise<readonly T[]> => {
    const answer = await fetch(`${api}${path}`, { headers });
    return ((await answer.json()) as Page<T>).items;
  };
  const remove = (path: string) => fetch(`${api}${path}`, { method: 'DELETE', headers });
  for (const { id } of await list<Known>('/v1/jobs?limit=500')) await remove(`/v1/jobs/${id}`);
  const edges = () => list<Named>('/v1/edges?limit=500');
  for (const { name } of await edges()) await remove(`/v1/edges/${name}?force=true`);
  await until('its edges are gone', async () => (await edges()).length === 0);
}
