import { ProblemError } from '../../../core/contract/problem.ts';
import { digestPattern } from '../../../core/files/manifest.ts';
import { resultSpaceOf } from '../../../core/files/result-space.ts';
import {
  liveOffsetMax,
  livePartBytesMax,
  livePartInlineBytesMax,
} from '../../../core/live/limits.ts';
import type { EdgeCaller } from '../../../core/model/caller.ts';
import { attemptsMax, outputTailBytesMax } from '../../../core/model/limits.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import {
  type Answer,
  badQuery,
  type Call,
  callerOf,
  checkQuery,
  flagOf,
  jobOfPath,
} from '../http/call.ts';
import { chunkOf, numbersMaxOf } from '../jobs/view/chunk-number.ts';
import { streamOf } from '../jobs/view/output-stream.ts';
import type { Ports } from '../ports.ts';
import { checkGiven, jobOfEdge } from './given-chunk.ts';

/**
 * `PUT /v1/jobs/{id}/chunks/{chunk}/output`: the ends of what a chunk printed, or with an offset
 * the part of it that comes next for those who follow it, from the edge that was given the chunk.
 * An edge that never had it is refused, so that none can write into another's job.
 */
export const putOutput = { handle };

type Needed = Pick<Ports, 'edges' | 'jobs' | 'outputs' | 'live' | 'results'>;

async function handle(call: Call, deps: Needed): Promise<Answer> {
  checkQuery(call, ['attempt', 'total', 'head', 'offset', 'more', 'last', 'stream', 'whole']);
  const id = jobOfPath(call);
  const caller = callerOf(call) as EdgeCaller;
  const attempt = numberOf(call, 'attempt', attemptsMax * 10) ?? 1;
  if (attempt < 1) throw badQuery('attempt', 'This must be a whole number of at least 1.');
  const stream = streamOf(call.query.stream);
  const offset = numberOf(call, 'offset', liveOffsetMax);
  if (offset !== null && stream === 'stderr') {
    throw badQuery('stream', 'Only standard output is followed part by part.');
  }
  const totalBytes = numberOf(call, 'total', liveOffsetMax) ?? call.body.length;
  checkOutput(call, offset === null ? outputTailBytesMax : livePartBytesMax);
  const headBytes = numberOf(call, 'head', call.body.length) ?? 0;
  const job = await jobOfEdge(id, caller, deps);
  const chunk = chunkOf(call.params.chunk ?? '', numbersMaxOf(job));
  await checkGiven(id, chunk, caller, deps);
  if (offset !== null) {
    await keepPart(call, { id, chunk, attempt, offset }, caller, deps);
  } else {
    const key = await deps.outputs.put(id, chunk, attempt, call.body, stream);
    const bytes = call.body.length;
    const whole = await wholeOf(call.query.whole, job, totalBytes, deps);
    const sizes = { bytes, totalBytes: Math.max(bytes, totalBytes), headBytes };
    const output = { key, ...sizes, ...(whole === null ? {} : { whole }) };
    await deps.jobs.keepOutput(id, chunk, output, stream);
  }
  return { status: 204 };
}

/** All of it, which the edge has stored as it stores results. */
async function wholeOf(
  digest: string | undefined,
  job: StoredJob,
  totalBytes: number,
  { results }: Pick<Ports, 'results'>,
): Promise<string | null> {
  if (digest === undefined) return null;
  const isAsked = job.spec.outputMb !== undefined && digestPattern.test(digest);
  const found = isAsked ? await results.find(resultSpaceOf(job), digest) : null;
  if (found?.bytes === totalBytes) return digest;
  throw badQuery('whole', 'This is no stored output of so many bytes.');
}

type PartPlace = {
  readonly id: JobId;
  readonly chunk: number;
  readonly attempt: number;
  readonly offset: number;
};

async function keepPart(
  call: Call,
  { id, chunk, attempt, offset }: PartPlace,
  { edge }: EdgeCaller,
  { live, outputs }: Needed,
): Promise<void> {
  const isShort = call.body.length <= livePartInlineBytesMax;
  const key = isShort ? null : await outputs.putPart(id, chunk, { attempt, offset }, call.body);
  const text = isShort ? call.body : null;
  const place = { edge, attempt, offset, bytes: call.body.length };
  const signs = { isMore: flagOf(call, 'more'), isLast: flagOf(call, 'last') };
  await live.keepPart(id, chunk, { ...place, ...signs, text, key }, call.nowMs);
}

function numberOf(call: Call, name: string, most: number): number | null {
  const text = call.query[name];
  if (text === undefined) return null;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= most) return value;
  throw badQuery(name, `This must be a whole number of at most ${most}.`);
}

function checkOutput(call: Call, bytesMax: number): void {
  if (call.body.length > bytesMax) {
    const detail = `This takes at most ${bytesMax} bytes of an output; send its tail.`;
    throw new ProblemError('body-too-large', detail);
  }
  const type = call.headers['content-type'] ?? 'text/plain';
  if (!/^(text\/plain|application\/octet-stream)\b/i.test(type)) {
    throw new ProblemError('unsupported-media-type', 'Send the output as text/plain.');
  }
}
