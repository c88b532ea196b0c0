import type { JobId } from '../model/names.ts';

/** Which of what a chunk prints; `stdout` is all of it unless the job keeps `stderr` apart. */
export const outputStreams = ['stdout', 'stderr'] as const;
export type OutputStream = (typeof outputStreams)[number];

/** The kept outputs of chunks, one for each attempt that left one. */
export type Outputs = {
  /** Answers the key by which it is found again. */
  put(
    job: JobId,
    chunk: number,
    attempt: number,
    body: Uint8Array,
    stream?: OutputStream,
  ): Promise<string>;
  /** A part of an output that somebody follows, by where it begins. Answers its key. */
  putPart(
    job: JobId,
    chunk: number,
    place: { readonly attempt: number; readonly offset: number },
    body: Uint8Array,
  ): Promise<string>;
  /** Byte for byte, whatever the chunk printed; `null`: it is gone. */
  get(key: string): Promise<Uint8Array | null>;
  removeAll(job: JobId): Promise<void>;
};
