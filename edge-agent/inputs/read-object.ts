import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { downloadWriteBytes, rangeBytes, rangesAtOnce } from '../limits.ts';
import type { Asked } from './ask-store.ts';
import { ComingRange, type Range } from './coming-range.ts';

/**
 * Reads an object of a store from one of its bytes to its end, in order. Of a large one several
 * ranges are under way at once, because a store gives each connection a few hundred megabits a
 * second; what comes ahead of its turn waits in memory, `rangesAtOnce * rangeBytes` of it at most.
 * All of it is of one and the same object. A store that knows no ranges sends it whole.
 */
export type ReadObject = {
  readonly ask: (asked: Asked) => Promise<IncomingMessage>;
  readonly start: number;
  /** By one request, of somebody who need not know ranges. */
  readonly isWhole?: boolean;
  readonly signal: AbortSignal;
  /** Hears of whatever comes. */
  readonly moved: () => void;
};

export type ObjectRead = {
  /** Where the pieces begin: where they were asked to, or at 0. */
  readonly start: number;
  /** What they come to, as far as the store says. */
  readonly bytes: number;
  /** Each is good until the next one is asked for. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends what is under way. */
  readonly close: () => void;
};

/** The store has none of it, or not for us. */
export class StoreRefusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the store answers ${status}`);
    this.status = status;
  }
}

/** What would come next is of another one than what has come. */
export class ObjectReplaced extends Error {
  constructor() {
    super('it was replaced while it was read');
  }
}

export async function readObject(wanted: ReadObject): Promise<ObjectRead> {
  const { start, isWhole = false } = wanted;
  const stop = new AbortController();
  const reading = { ...wanted, signal: AbortSignal.any([wanted.signal, stop.signal]) };
  const close = (): void => stop.abort();
  const answer = await ask(reading, headersOf(start, isWhole ? null : start + rangeBytes));
  // There is no byte from there on: what is here is all of it, or of something else.
  if (answer === 'beyond') return { start, bytes: 0, pieces: none(), close };
  if (answer.statusCode !== 206) {
    const bytes = Number(answer.headers['content-length'] ?? 0);
    return { start: 0, bytes, pieces: gathered(answer, reading), close };
  }
  const total = totalBehind(answer, start);
  const bytes = total - start;
  if (isWhole) return { start, bytes, pieces: gathered(answer, reading), close };
  return { start, bytes, pieces: inRanges(reading, answer, { start, end: total }), close };
}

async function* inRanges(
  reading: ReadObject,
  first: IncomingMessage,
  { start, end }: Range,
): AsyncGenerator<Uint8Array> {
  const same = sameAs(first);
  let answered: IncomingMessage | null = first;
  const askRange = async (range: Range): Promise<Readable> => {
    const headers = { ...headersOf(range.start, range.end), ...same };
    const answer = answered ?? (await ask(reading, headers));
    answered = null;
    if (answer === 'beyond' || totalBehind(answer, range.start) !== end) {
      throw new ObjectReplaced();
    }
    return answer.on('data', reading.moved);
  };
  const rooms: Buffer[] = [];
  const underWay: { readonly range: ComingRange; readonly room: Buffer }[] = [];
  const begin = (at: number): void => {
    const range = { start: at, end: Math.min(at + rangeBytes, end) };
    const room = rooms.pop() ?? Buffer.allocUnsafeSlow(range.end - range.start);
    underWay.push({ range: new ComingRange(range, room, askRange), room });
  };
  for (let next = start; ; ) {
    for (; underWay.length < rangesAtOnce && next < end; next += rangeBytes) begin(next);
    const head = underWay.shift();
    if (head === undefined) return;
    try {
      yield* head.range.pieces();
    } catch (error) {
      throw reading.signal.aborted ? reading.signal.reason : error;
    }
    rooms.push(head.room);
  }
}

/** `beyond`: it has no byte where it was to begin. */
async function ask(
  { ask: send, signal }: ReadObject,
  headers: Record<string, string>,
): Promise<IncomingMessage | 'beyond'> {
  const answer = await send({ headers, signal });
  const { statusCode: status = 0 } = answer;
  if (status === 200 || status === 206) return answer;
  answer.destroy();
  if (status === 416) return 'beyond';
  throw status === 412 ? new ObjectReplaced() : new StoreRefusal(status);
}

function headersOf(start: number, end: number | null): Record<string, string> {
  if (end !== null) return { range: `bytes=${start}-${end - 1}` };
  return start === 0 ? {} : { range: `bytes=${start}-` };
}

/** A weak tag says nothing of bytes. */
function sameAs({ headers: { etag } }: IncomingMessage): Record<string, string> {
  return etag?.startsWith('"') ? { 'if-match': etag } : {};
}

/** How large the object is of which this is a part that begins there. */
function totalBehind({ statusCode, headers }: IncomingMessage, start: number): number {
  const match = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '');
  const [first, total] = [Number(match?.[1]), Number(match?.[2])];
  const isAsked = statusCode === 206 && first === start;
  if (isAsked && total > start && Number.isSafeInteger(total)) return total;
  throw new Error('the store answers with another part than was asked for');
}

/** Few large pieces of many small ones; also the last of them before it breaks off. */
async function* gathered(
  body: Readable,
  { moved, signal }: ReadObject,
): AsyncGenerator<Uint8Array> {
  const room = Buffer.allocUnsafeSlow(downloadWriteBytes);
  let filled = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      moved();
      for (let at = 0; at < piece.length; ) {
        const some = piece.subarray(at, at + room.length - filled);
        room.set(some, filled);
        [at, filled] = [at + some.length, filled + some.length];
        if (filled < room.length) continue;
        yield room;
        filled = 0;
      }
    }
  } catch (error) {
    if (filled > 0) yield room.subarray(0, filled);
    throw signal.aborted ? signal.reason : error;
  }
  if (filled > 0) yield room.subarray(0, filled);
}

async function* none(): AsyncGenerator<Uint8Array> {}
