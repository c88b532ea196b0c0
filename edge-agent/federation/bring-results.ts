import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clashOf, pathProblem, staysBelow } from '../../core/files/file-path.ts';
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
  /** What those of one chunk may come to. */
  readonly bytesMax: number;
};

const bytesPerMb = 1024 * 1024;

export function resultsBelow({ run, outputs }: AgentSpec): ResultsBelow | null {
  const executor = executorOf(run);
  if (outputs === undefined || executor === 'simulate') return null;
  const isMounted = executor === 'container' || executor === 'pod';
  const bytesMax = outputs.maxMb * bytesPerMb;
  return { on: outputs.on, reader: isMounted ? 'container' : 'chunk', bytesMax };
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
} & Omit<ResultsBelow, 'on'>;

/** Why they cannot be had, or `null` once they are here. Throws what time may mend. */
export async function bringResults(deps: BringDeps, left: LeftBelow): Promise<string | null> {
  const results: DownstreamResult[] = [];
  for await (const result of deps.api.results(left.job, left.chunk)) {
    results.push(result);
    if (results.length > manifestEntriesMax) return 'outputs: too many come from below';
  }
  const problem = problemOf(results, left.bytesMax);
  if (problem !== null) return `outputs: ${problem}`;
  const root = directoryOf(deps, left);
  // Nothing is written through what an earlier life left.
  removeLinks(root);
  try {
    for (const result of results) if (result.link === null) await bringFile(deps, root, result);
  } catch (error) {
    if (error instanceof InputFault && lasting.has(error.kind)) return `outputs: ${error.message}`;
    throw error;
  }
  for (const { path, link } of results) if (link !== null) symlinkSync(link, place(root, path));
  return null;
}

/** What is wrong with what is said of them, before anything of it is believed. */
function problemOf(results: readonly DownstreamResult[], bytesMax: number): string | null {
  let bytes = 0;
  for (const result of results) {
    const problem = pathProblem(result.path);
    if (problem !== null) return `a path from below ${problem}`;
    if (result.link === null) bytes += result.bytes ?? 0;
    else if (!staysBelow(result.path, result.link)) return 'a link from below leads out';
  }
  if (bytes > bytesMax) return `${bytes} bytes come from below, and ${bytesMax} may`;
  return clashOf(results.map(({ path }) => path)) === null ? null : 'two from below have one name';
}

function removeLinks(root: string): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const at = join(root, entry.name);
    if (entry.isSymbolicLink()) rmSync(at);
    else if (entry.isDirectory()) removeLinks(at);
  }
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
  { path, url, sha256, bytes, executable }: DownstreamResult,
): Promise<void> {
  if (url === null || sha256 === null) throw new InputFault('input-missing', 'it has no address');
  const target = place(root, path);
  const makeRoom = () => true;
  const bytesMax = bytes ?? 0;
  await download({ url, digest: sha256, path: target, makeRoom, clock, signal, bytesMax });
  if (executable) chmodSync(target, 0o700);
}

function place(root: string, path: string): string {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  return target;
}
