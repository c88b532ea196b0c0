import { liveBacklogBytesMax, livePartBytesMax, liveWishMs } from '../../core/live/limits.ts';
import { type LiveWish, parseLiveWishes } from '../../core/live/live-wishes.ts';
import type { JobId } from '../../core/model/names.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { ChunkName, EndedChunk } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
import type { OutputPart } from '../launcher/launcher-protocol.ts';
import { type ControlPlaneApi, ControlPlaneError } from '../link/control-plane-api.ts';
import { liveAgainMs, liveSendMs } from './limits.ts';

/**
 * Sends what running chunks print, to those who look: only of chunks that the work document names,
 * at most twice a second and so many bytes for all of an edge, and no longer than somebody asks.
 * What nobody asks for is not even read.
 *
 * A wish is taken by its difference from the one before, and lasts by this host's own clock: that
 * of the control plane may be another.
 */
export type LiveOutput = {
  /** A work document has come. */
  arrived(edge: string, document: unknown): void;
  ended(chunk: EndedChunk): void;
  close(): void;
};

export type LiveOutputDeps = {
  readonly api: Pick<ControlPlaneApi, 'putOutputPart'>;
  readonly clock: Clock;
  readonly secretOf: (edge: string) => string | null;
  /** Of a chunk that runs. */
  readonly attemptOf: (edge: string, job: JobId, chunk: number) => number | null;
  readonly look: (name: ChunkName, from: number) => Promise<OutputPart | null>;
};

/** One chunk that somebody follows. */
type Followed = {
  readonly edge: string;
  readonly job: JobId;
  readonly chunk: number;
  /** As it was said, to know the next one from a repetition. */
  untilMs: number;
  /** By the clock that never jumps. */
  endsAtMs: number;
  attempt: number | null;
  /** How much of it is sent; `null`: nothing yet. */
  sent: number | null;
  /** The rest of an attempt that has ended. */
  rest: { readonly total: number; readonly tail: Uint8Array } | null;
  isSending: boolean;
  waitsUntilMs: number;
};

export function makeLiveOutput(deps: LiveOutputDeps): LiveOutput {
  const { clock } = deps;
  const followed = new Map<string, Followed>();
  let cancel: (() => void) | null = null;

  const turn = (): void => {
    cancel = null;
    const nowMs = clock.monotonicMs();
    const room = new Map<string, number>();
    for (const [key, one] of followed) {
      if (nowMs >= one.endsAtMs && one.rest === null) followed.delete(key);
      else if (!one.isSending && nowMs >= one.waitsUntilMs) {
        one.isSending = true;
        void send(one, room, deps)
          .then((isWanted) => isWanted || followed.delete(key))
          .finally(() => {
            one.isSending = false;
          });
      }
    }
    if (followed.size > 0) cancel = clock.after(liveSendMs, turn);
  };

  const follow = (edge: string, { job, chunk, untilMs }: LiveWish): boolean => {
    const key = `${edge}/${job}/${chunk}`;
    const known = followed.get(key);
    if (known?.untilMs === untilMs) return false;
    const endsAtMs = clock.monotonicMs() + liveWishMs;
    if (known !== undefined) Object.assign(known, { untilMs, endsAtMs });
    else {
      const begin = { attempt: null, sent: null, rest: null, isSending: false, waitsUntilMs: 0 };
      followed.set(key, { edge, job, chunk, untilMs, endsAtMs, ...begin });
    }
    return known === undefined;
  };

  return {
    arrived(edge, document) {
      const wishes = isRecord(document) ? parseLiveWishes(document.l) : [];
      const isOld = (one: LiveWish): boolean => one.untilMs < clock.nowMs() - staleWishMs;
      const fresh = wishes.filter((one) => !isOld(one) && follow(edge, one));
      if (fresh.length === 0) return;
      cancel?.();
      turn();
    },
    ended({ name, output, printedBytes }) {
      const one = followed.get(`${name.edge}/${name.job}/${name.chunk}`);
      if (one === undefined) return;
      if (one.attempt !== name.attempt) Object.assign(one, { attempt: name.attempt, sent: null });
      const tail = output ?? new Uint8Array();
      one.rest = { total: printedBytes ?? tail.length, tail };
      if (one.isSending) return;
      cancel?.();
      turn();
    },
    close() {
      followed.clear();
      cancel?.();
      cancel = null;
    },
  };
}

/** What lies in a document since long is nobody's wish any more, whatever the clocks say. */
const staleWishMs = 86_400_000;

type NextPart = {
  readonly attempt: number;
  readonly from: number;
  readonly total: number;
  readonly bytes: Uint8Array;
  readonly isEnd: boolean;
};

/** Whether it is worth going on. */
async function send(
  one: Followed,
  room: Map<string, number>,
  { api, clock, secretOf, ...deps }: LiveOutputDeps,
): Promise<boolean> {
  const secret = secretOf(one.edge);
  const part = one.rest === null ? await lookAt(one, deps) : restOf(one, one.rest);
  if (secret === null || part === null) return true;
  const left = room.get(one.edge) ?? livePartBytesMax;
  const bytes = part.bytes.subarray(0, left);
  if (bytes.length === 0 && !(part.isEnd && part.bytes.length === 0)) return true;
  room.set(one.edge, left - bytes.length);
  const next = part.from + bytes.length;
  const isLast = part.isEnd && next >= part.total;
  const { job, chunk } = one;
  const place = { job, chunk, attempt: part.attempt, offset: part.from };
  try {
    await api.putOutputPart(secret, { ...place, isMore: next < part.total, isLast }, bytes);
  } catch (error) {
    one.waitsUntilMs = clock.monotonicMs() + liveAgainMs;
    return error instanceof ControlPlaneError && error.isTemporary;
  }
  if (isLast) Object.assign(one, { attempt: null, sent: null, rest: null });
  else one.sent = next;
  return true;
}

async function lookAt(
  one: Followed,
  { attemptOf, look }: Pick<LiveOutputDeps, 'attemptOf' | 'look'>,
): Promise<NextPart | null> {
  const { edge, job, chunk } = one;
  const attempt = attemptOf(edge, job, chunk);
  if (attempt === null) return null;
  if (attempt !== one.attempt) Object.assign(one, { attempt, sent: null });
  const part = await look({ edge, job, chunk, attempt }, one.sent ?? -liveBacklogBytesMax);
  // It may have ended in the meantime; then its rest is sent from here on.
  if (part === null || one.attempt !== attempt) return null;
  return { attempt, ...part, isEnd: false };
}

function restOf(one: Followed, { total, tail }: NonNullable<Followed['rest']>): NextPart {
  const begin = total - tail.length;
  const from = Math.max(one.sent ?? 0, begin);
  const bytes = tail.subarray(from - begin).subarray(0, livePartBytesMax);
  return { attempt: one.attempt ?? 1, from, total, bytes, isEnd: true };
}
