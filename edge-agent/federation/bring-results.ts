import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathProblem, staysBelow } from '../../core/files/file-path.ts';
import { manifestEntriesMax } from '../../core/files/limits.ts';
import { executorOf } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import {
  type ChunkDirectories,
  type DirectoryReader,
  mountName,
} from '../chunk-directory/chunk-directories.ts';
import { type ChunkName, outputName } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
import { download } from '../inputs/download.ts';
import { InputFault } from '../inputs/input-fault.ts';
import type { DownstreamApi, DownstreamResult } from './downstream-api.ts';

/**
 * What a chunk left below comes into a directory of that chunk here, as if it had run here: from
 * there it is sent on like the results of any chunk. Every byte is held against its digest, and
 * what came before the agent was killed is gone on with.
 */
export type ResultsBelow = {
  /** Of chunks that are done, or also of failed attempts. */
  readonly on: 'done' | 'always';
  /** Of containers the results are looked for in what is mounted. */
  readonly reader: DirectoryReader;
};

export function resultsBelow({ run, outputs }: AgentSpec): ResultsBelow | null {
  const executor = executorOf(run);
  if (outputs === undefined || executor === 'simulate') return null;
  const isMounted = executor === 'container' || executor === 'pod';
  return { on: outputs.on, reader: isMounted ? 'container' : 'chunk' };
}

export type BringDeps = {
  readonly api: Pick<DownstreamApi, 'results'>;
  readonly directories: Pick<ChunkDirectories, 'makeEmpty' | 'pathOf'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

export type LeftBelow = {
  readonly job: string;
  readonly chunk: number;
  /** Whose they are here. */
  readonly name: ChunkName;
  readonly reader: DirectoryReader;
};

/** Why they cannot be had, or `null` once they are here. Throws what time may mend. */
export async function bringResults(deps: BringDeps, left: LeftBelow): Promise<string | null> {
  const root = directoryOf(deps, left);
  const links: DownstreamResult[] = [];
  let entries = 0;
  try {
    for await (const result of deps.api.results(left.job, left.chunk)) {
      entries += 1;
      if (entries > manifestEntriesMax) return 'outputs: too many come from below';
      const problem = pathProblem(result.path);
      if (problem !== null) return `outputs: a path from below ${problem}`;
      if (result.link !== null) links.push(result);
      else await bringFile(deps, root, result);
    }
  } catch (error) {
    if (error instanceof InputFault && lasting.has(error.kind)) return `outputs: ${error.message}`;
    throw error;
  }
  // Last, so that nothing is written through one.
  for (const { path, link } of links) {
    if (!staysBelow(path, link!)) return 'outputs: a link from below leads out';
    const target = place(root, path);
    rmSync(target, { force: true });
    symlinkSync(link!, target);
  }
  return null;
}

/** The store below does not have it, or has something else under its digest. */
const lasting: ReadonlySet<string> = new Set(['input-missing', 'input-corrupt']);

function directoryOf({ directories }: BringDeps, { name, reader }: LeftBelow): string {
  const known = directories.pathOf(name);
  if (known !== null && reader === 'container') return join(known, mountName, outputName);
  const own = known ?? directories.makeEmpty(name, reader);
  if (own === null) throw new Error('The disk has no room for what comes from below.');
  return join(own, outputName);
}

async function bringFile(
  { clock, signal }: BringDeps,
  root: string,
  { path, url, sha256, executable }: DownstreamResult,
): Promise<void> {
  if (url === null || sha256 === null) throw new InputFault('input-missing', 'it has no address');
  const target = place(root, path);
  const makeRoom = () => true;
  await download({ url, digest: sha256, path: target, makeRoom, clock, signal });
  if (executable) chmodSync(target, 0o700);
}

function place(root: string, path: string): string {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  return target;
}
