import { notFound } from '../../../core/contract/problem.ts';
import { manifestBytesMax, manifestsRememberedMax } from '../../../core/files/limits.ts';
import { parseManifest } from '../../../core/files/manifest.ts';
import { type Caller, type EdgeCaller, isBound, seesJob } from '../../../core/model/caller.ts';
import type { JobInput } from '../../../core/model/job.ts';
import { type JobId, poolOfCell } from '../../../core/model/names.ts';
import { has } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { Files } from '../../../core/ports/files.ts';
import { fillInputs, hasNamedDigest } from '../../../core/sweeps/fill-inputs.ts';
import { jobNamed } from '../http/call.ts';
import { storedJson } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';
import { parametersOf } from '../sweeps/chunk-parameters.ts';
import { poolOfFiles } from './pool-of-files.ts';

/**
 * Which files a caller may read. A token: those of the pools that it sees, or of its own jobs alone
 * when it sees no others. An edge: those that a job needs of which it was given chunks, by name or
 * in a tree; to know a digest is not enough.
 */
export type Readable = { readonly pool: string; has(digest: string): boolean };

type Needed = Pick<Ports, 'jobs' | 'files'>;

export async function readableFiles(
  caller: Caller,
  asked: {
    readonly job?: string | undefined;
    readonly chunk?: number | undefined;
    readonly pool?: string | undefined;
  },
  deps: Needed,
): Promise<Readable> {
  if (caller.kind !== 'edge' && asked.job === undefined) {
    return { pool: poolOfFiles(caller, asked.pool), has: () => !isBound(caller) };
  }
  if (asked.job === undefined) return { pool: poolOfFiles(caller, asked.pool), has: () => false };
  const id = jobNamed(asked.job);
  const job = await deps.jobs.findSpec(id);
  if (job === null || !(await maySee(caller, job, deps))) throw notFound(`job "${id}"`);
  const own = asked.chunk === undefined ? [] : await ownInputs(caller, job, asked.chunk, deps);
  return filesOfJob(job, own, deps.files);
}

/** What the parameters of a chunk say; an edge hears it of chunks that it was given. */
async function ownInputs(
  caller: Caller,
  job: StoredJob,
  chunk: number,
  { jobs, files }: Needed,
): Promise<readonly JobInput[]> {
  const { inputs = [] } = job.spec;
  if (!inputs.some(hasNamedDigest)) return [];
  if (caller.kind === 'edge') {
    const [execution] = await jobs.executionsOn(caller.edge, [job.id]);
    if (execution === undefined || !has(execution.chunks, chunk)) return [];
  }
  const { found } = await parametersOf(job, [chunk], files);
  const parameters = found.get(chunk);
  if (parameters === undefined) return [];
  const own = fillInputs(inputs, { job: job.id, chunk, parameters });
  return typeof own === 'string' ? [] : own.filter((_, at) => hasNamedDigest(inputs[at]!));
}

async function maySee(caller: Caller, job: StoredJob, deps: Needed): Promise<boolean> {
  const { id, spec } = job;
  if (caller.kind !== 'edge') return seesJob(caller, job);
  return poolOfCell(caller.cell) === spec.pool && (await wasGiven(caller, id, deps));
}

async function wasGiven({ edge }: EdgeCaller, job: JobId, { jobs }: Needed): Promise<boolean> {
  return (await jobs.executionsOn(edge, [job])).length > 0;
}

async function filesOfJob(
  { spec }: StoredJob,
  own: readonly JobInput[],
  files: Files,
): Promise<Readable> {
  const named = new Set<string>();
  const trees: ReadonlySet<string>[] = [];
  const inputs = (spec.inputs ?? []).filter((input) => !hasNamedDigest(input));
  for (const { sha256, manifest, url } of [...inputs, ...own]) {
    if (sha256 !== undefined && url === undefined) named.add(sha256);
    if (manifest === undefined) continue;
    named.add(manifest);
    trees.push(await filesOfTree(spec.pool, manifest, files));
  }
  const has = (digest: string) => named.has(digest) || trees.some((tree) => tree.has(digest));
  return { pool: spec.pool, has };
}

/** What a digest stands for never changes. */
const remembered = new Map<string, ReadonlySet<string>>();

async function filesOfTree(
  pool: string,
  manifest: string,
  files: Files,
): Promise<ReadonlySet<string>> {
  const key = `${pool}/${manifest}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const bytes = await files.read(pool, manifest, manifestBytesMax);
  const tree = bytes === null ? '' : parseManifest(storedJson(bytes));
  if (typeof tree === 'string') return new Set();
  const digests = new Set(tree.files.map(({ sha256 }) => sha256));
  const [oldest] = remembered.keys();
  if (remembered.size >= manifestsRememberedMax && oldest !== undefined) remembered.delete(oldest);
  remembered.set(key, digests);
  return digests;
}
