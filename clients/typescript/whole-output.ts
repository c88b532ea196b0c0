import { outputMsMax, pollMsMax } from './limits.ts';

/** A part of an output; where it stands in it is in its headers. */
export type OutputPart = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
};

export type OutputPorts = {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly read: (query: { attempt: number; offset: number }) => Promise<OutputPart>;
  /** Outputs up to this are kept whole. */
  readonly wholeBytesMax: () => Promise<number>;
};

/**
 * Who asks once gets the two ends of a long output. Where its job keeps all of it, that is stored
 * after the ends and read on from the first of them; what never comes is not waited for without
 * end.
 */
export async function wholeOutput(
  ends: OutputPart,
  { nowMs, sleep, read, wholeBytesMax }: OutputPorts,
): Promise<Uint8Array<ArrayBuffer>> {
  const omitted = /^(\d+)-\d+$/.exec(ends.headers.get('edgewise-omitted') ?? '');
  const total = numberIn(ends, 'edgewise-next-offset');
  if (omitted === null || total > (await wholeBytesMax())) return ends.bytes;
  const attempt = numberIn(ends, 'edgewise-attempt');
  const whole = new Uint8Array(total);
  let offset = Number(omitted[1]);
  whole.set(ends.bytes.subarray(0, offset));
  const endMs = nowMs() + outputMsMax;
  while (offset < total) {
    const part = await read({ attempt, offset });
    const next = numberIn(part, 'edgewise-next-offset');
    const isNext = part.bytes.length > 0 && next === offset + part.bytes.length && next <= total;
    if (isNext && numberIn(part, 'edgewise-attempt') === attempt) {
      whole.set(part.bytes, offset);
      offset = next;
    } else {
      if (nowMs() >= endMs) return ends.bytes;
      await sleep(pollMsMax / 4);
    }
  }
  return whole;
}

const numberIn = ({ headers }: OutputPart, name: string): number => Number(headers.get(name));
