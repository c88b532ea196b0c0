import { liveOffsetMax, waitSecondsMax } from '../../../core/live/limits.ts';
import { attemptsMax } from '../../../core/model/limits.ts';
import type { OutputStream } from '../../../core/ports/outputs.ts';
import { badQuery, type Call } from '../http/call.ts';
import { streamOf } from '../jobs/view/output-stream.ts';

/** Where a reader is in an output, and how long it waits for what comes next. */
export type OutputQuery = {
  readonly offset: number;
  /** `null`: the one that runs, or ran last. */
  readonly attempt: number | null;
  /** `null`: nobody follows, and what is there is all that is wanted. */
  readonly waitMs: number | null;
  readonly stream: OutputStream;
};

export type FollowingQuery = OutputQuery & { readonly waitMs: number };

export function readOutputQuery(call: Call): OutputQuery {
  const { offset, attempt, waitSeconds } = call.query;
  const isFollowing = offset !== undefined || waitSeconds !== undefined;
  return {
    offset: wholeOf('offset', offset ?? '0', 0, liveOffsetMax),
    attempt: attempt === undefined ? null : wholeOf('attempt', attempt, 1, attemptsMax * 10),
    stream: streamOf(call.query.stream),
    waitMs: isFollowing ? waitOf(waitSeconds ?? '0') : null,
  };
}

export function isFollowing(query: OutputQuery): query is FollowingQuery {
  return query.waitMs !== null;
}

/** Milliseconds that a request may take to say something new. */
export function waitOf(text: string): number {
  return wholeOf('waitSeconds', text, 0, waitSecondsMax) * 1_000;
}

function wholeOf(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw badQuery(name, `This must be a whole number of ${least} to ${most}.`);
}
