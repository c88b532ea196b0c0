import { createHash } from 'node:crypto';
import { shownChunk, shownChunks, shownJob } from '../../core/federation/chunk-offsets.ts';
import { chunkNumbersLengthMax, federationDepthMax } from '../../core/federation/limits.ts';
import { type JobId, parseJobId } from '../../core/model/names.ts';
import {
  chunksOf,
  count,
  formatRanges,
  fromChunks,
  isEmpty,
  parseRanges,
  type RangeSet,
  take,
} from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { isCount, isRecord } from '../../core/protocol/json.ts';
import type { ResultsBelow } from './bring-results.ts';
import { partChunksMax } from './limits.ts';

/**
 * Chunks of one attempt that are one job in the deployment below. Its id follows from what it is,
 * so handing it over again finds it instead of making another.
 */
export type PartName = {
  readonly edge: string;
  readonly job: JobId;
  readonly attempt: number;
  readonly chunks: RangeSet;
  /** Grows when a job of the same id was cancelled there before. */
  readonly tried: number;
};

/** A deployment, by the address of its API. */
export function stageId(api: string): string {
  const address = new URL(api.replace(/\/+$/, '').replace(/\/v1$/, '')).href;
  return createHash('sha256').update(address).digest('hex').slice(0, 16);
}

/** Between which deployments an agent stands. */
export type Stages = { readonly above: string; readonly below: string };

/** Why a job must not go further down, or `null`: it came from there, or went deep enough. */
export function whyNotBelow(spec: AgentSpec, { above, below }: Stages): string | null {
  const path = pathOf(spec, above);
  if (path.includes(below)) return 'federation-loop: it came from this deployment';
  if (path.length < federationDepthMax) return null;
  return `federation-too-deep: it came through ${federationDepthMax} deployments`;
}

function pathOf({ chunkOffsets }: AgentSpec, above: string): readonly string[] {
  return [...(chunkOffsets?.path ?? []), above];
}

export function partId(stage: string, part: PartName): string {
  const { edge, job, attempt, chunks, tried } = part;
  const words = [stage, edge, job, attempt, formatRanges(chunks), tried];
  return `fed-${createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 40)}`;
}

/** As few parts as a document of numbers allows. */
export function divideIntoParts(spec: AgentSpec, chunks: Iterable<number>): RangeSet[] {
  const parts: RangeSet[] = [];
  let rest = fromChunks(chunks);
  while (!isEmpty(rest)) {
    let size = Math.min(count(rest), partChunksMax);
    while (size > 1 && numbersOf(spec, take(rest, size).taken).length > chunkNumbersLengthMax) {
      size = Math.floor(size / 2);
    }
    const { taken, rest: others } = take(rest, size);
    parts.push(taken);
    rest = others;
  }
  return parts;
}

/** The numbers that the chunks have in the job where they began. */
function numbersOf(spec: AgentSpec, chunks: RangeSet): string {
  if (spec.chunkOffsets === undefined) return formatRanges(chunks);
  return formatRanges(fromChunks([...chunksOf(chunks)].map((chunk) => shownChunk(spec, chunk))));
}

/**
 * The job that the deployment below is given. A failed chunk is not tried again there: the
 * deployment above counts attempts, and says where the next one is.
 */
export function bodyOfPart(
  { job, chunks }: Pick<PartName, 'job' | 'chunks'>,
  spec: AgentSpec,
  given: { readonly power: number; readonly pool: string; readonly stages: Stages },
): Record<string, unknown> {
  const { name, run, resources, keepOutput, outputs, offlineSeconds, signature } = spec;
  const numbers = numbersOf(spec, chunks);
  const path = pathOf(spec, given.stages.above);
  return {
    name,
    pool: given.pool,
    chunkPower: given.power,
    run,
    resources,
    keepOutput,
    ...(outputs === undefined ? {} : { outputs }),
    offlineSeconds,
    // It is over what chunks see, which a part leaves as it is.
    ...(signature === undefined ? {} : { signature }),
    retries: { attempts: 1, backoffSeconds: 0 },
    chunkOffsets: { numbers, total: shownChunks(spec), job: shownJob(spec, job), path },
    labels: { 'edgewise/path': path.join(',') },
  };
}

/** What is written down of a part, to find it again. */
export type NotedPart = PartName & {
  /** By their numbers in the job below: of these an end is expected. */
  readonly open: RangeSet;
  /** Not wanted any more, and not cancelled there yet. */
  readonly leaving: RangeSet;
  readonly keepOutput: AgentSpec['keepOutput'];
  readonly results: ResultsBelow | null;
};

export function formatPart(part: NotedPart): string {
  const { edge, job, attempt, tried, keepOutput, results } = part;
  const ranges = { chunks: formatRanges(part.chunks), open: formatRanges(part.open) };
  const leaving = isEmpty(part.leaving) ? {} : { leaving: formatRanges(part.leaving) };
  return JSON.stringify({
    edge,
    job,
    attempt,
    tried,
    ...ranges,
    ...leaving,
    keepOutput,
    ...(results && { results }),
  });
}

export function parsePart(text: string): NotedPart | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || typeof value.edge !== 'string') return null;
  const { edge, attempt, tried, keepOutput: kept } = value;
  const job = parseJobId(String(value.job));
  const ranges = (set: unknown) => (typeof set === 'string' ? parseRanges(set) : null);
  const [chunks, open] = [ranges(value.chunks), ranges(value.open)];
  const leaving = ranges(value.leaving ?? '');
  if (job === null || chunks === null || open === null || leaving === null) return null;
  if (!isCount(attempt) || !isCount(tried)) return null;
  const keepOutput = kept === 'all' || kept === 'none' ? kept : 'failed';
  const results = parseResults(value.results);
  return { edge, job, attempt, chunks, tried, open, leaving, keepOutput, results };
}

function parseResults(value: unknown): ResultsBelow | null {
  if (!isRecord(value)) return null;
  const { bytesMax } = value;
  const on = value.on === 'always' ? 'always' : 'done';
  const reader = value.reader === 'container' ? 'container' : 'chunk';
  return { on, reader, bytesMax: isCount(bytesMax) ? bytesMax : 0 };
}
