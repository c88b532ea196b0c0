import type { JobId } from '../model/names.ts';

/** The kept outputs of chunks, one for each attempt that left one. */
export type Outputs = {
  /** Answers the key by which it is found again. */
  put(job: JobId, chunk: number, attempt: number, body: Uint8Array): Promise<string>;
  /** `null`: it is gone. */
  get(key: string): Promise<string | null>;
  removeAll(job: JobId): Promise<void>;
};
