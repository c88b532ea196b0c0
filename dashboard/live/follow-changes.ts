import type { FleetEvents } from '../../core/contract/resources.ts';
import { takeServerSent } from '../../core/protocol/server-sent.ts';
import type { Answer } from '../api/client.ts';
import {
  eventWaitSeconds,
  pauseMsMax,
  streamAgainMs,
  streamMissingMs,
  streamOpenMsMax,
  streamSilenceMsMax,
  streamTextLengthMax,
} from '../limits.ts';
import type { ChangePace } from './change-signal.ts';

/**
 * Finds out that figures changed: from a stream of them; where none is to be had, by requests that
 * wait for the next event; where they fail too, not at all, and then pages ask. A stream is tried
 * again after a while, for the proxy that lets none through may be gone.
 */
export type ChangeSources = {
  /** The figures as they become; `null` when there is no stream. */
  readonly stream: (
    lastId: string | null,
    signal: AbortSignal,
  ) => Promise<ReadableStream<Uint8Array> | null>;
  readonly events: (path: string, signal: AbortSignal) => Promise<Answer<FleetEvents>>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly nowMs: () => number;
};

export type FollowedChanges = {
  readonly sources: ChangeSources;
  readonly note: (pace: ChangePace) => void;
  readonly signal: AbortSignal;
};

/** What a stream is asked for: whatever pages show of the fleet moves one of these. */
export const followedFigures = `subscription { stats {
  jobs { waiting pending scheduled running done failed cancelled total }
  chunks { pending scheduled running done dead cancelled total }
  edges { total connected disconnected lost busy free cordoned }
  power { total free reserved served }
} }`;

export async function followChanges(followed: FollowedChanges): Promise<void> {
  const { sources, signal } = followed;
  /** The version that was noted. */
  const seen: { id: string | null } = { id: null };
  while (!signal.aborted) {
    if (await followStream(followed, seen)) await sources.wait(streamAgainMs, signal);
    else await followEvents(followed, sources.nowMs() + streamMissingMs);
  }
}

/** Whether there was a stream, however it ended. */
async function followStream(
  { sources, note, signal }: FollowedChanges,
  seen: { id: string | null },
): Promise<boolean> {
  const opened = await sources.stream(seen.id, signal);
  if (opened === null) return false;
  let hasBegun = false;
  for await (const { id, data } of messagesOf(opened, signal)) {
    hasBegun = true;
    if (data === null || data === '') continue;
    const pace = paceOf(data);
    if (pace === null) return false;
    if (id !== seen.id) note(pace);
    seen.id = id;
  }
  return hasBegun;
}

/** Ends quietly where the stream does, or where nothing comes for too long. */
async function* messagesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cut = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cut);
  let held = '';
  let patienceMs = streamOpenMsMax;
  try {
    while (held.length <= streamTextLengthMax) {
      const timer = setTimeout(cut, patienceMs);
      const part = await reader.read().catch(() => null);
      clearTimeout(timer);
      if (part === null || part.done) return;
      patienceMs = streamSilenceMsMax;
      const { messages, rest } = takeServerSent(
        held + decoder.decode(part.value, { stream: true }),
      );
      held = rest;
      yield* messages;
    }
  } finally {
    signal.removeEventListener('abort', cut);
    cut();
  }
}

type Message = {
  readonly data?: { readonly stats?: { readonly jobs?: Readonly<Record<string, number>> } | null };
};

/** `null`: the figures are refused, and will be. */
function paceOf(data: string): ChangePace | null {
  try {
    const { stats } = (JSON.parse(data) as Message).data ?? {};
    if (stats?.jobs === undefined) return null;
    const { waiting = 0, pending = 0, scheduled = 0, running = 0 } = stats.jobs;
    return waiting + pending + scheduled + running > 0 ? 'moving' : 'quiet';
  } catch {
    return null;
  }
}

/** Events do not say everything that figures do, so that pages look now and then all the same. */
async function followEvents(
  { sources, note, signal }: FollowedChanges,
  untilMs: number,
): Promise<void> {
  let cursor: string | null = null;
  note('asking');
  while (!signal.aborted && sources.nowMs() < untilMs) {
    const from: string =
      cursor === null ? 'after=now' : `after=${cursor}&waitSeconds=${eventWaitSeconds}`;
    const page = await sources.events(`/v1/events?${from}`, signal);
    if (signal.aborted) return;
    if (page.ok) {
      if (cursor === null || page.value.items.length > 0) note('moving');
      cursor = page.value.cursor;
      continue;
    }
    if (cursor !== null) note('asking');
    cursor = null;
    await sources.wait(pauseMsMax, signal);
  }
}
