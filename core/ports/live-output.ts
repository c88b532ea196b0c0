import type { LiveWish } from '../live/live-wishes.ts';
import type { EdgeName, JobId } from '../model/names.ts';

/** Outputs that are followed while they are printed: who is asked for them, and what came. */
export type LiveOutput = {
  /** What an edge was asked to send, with the version that a change of it names. */
  wishes(edge: EdgeName): Promise<LiveWishes>;
  /** `false`: somebody else has changed them since. */
  saveWishes(
    edge: EdgeName,
    seenVersion: number,
    wishes: readonly LiveWish[],
    nowMs: number,
  ): Promise<boolean>;
  /** Safe to repeat. */
  keepPart(job: JobId, chunk: number, part: LivePart, nowMs: number): Promise<void>;
  /**
   * Parts of this attempt that begin no more than one part's length before `offset`, and of later
   * ones, in their order. None that has lain there for too long.
   */
  parts(
    job: JobId,
    chunk: number,
    from: { readonly attempt: number; readonly offset: number },
    nowMs: number,
  ): Promise<readonly LivePart[]>;
};

export type LiveWishes = { readonly wishes: readonly LiveWish[]; readonly version: number };

/** A part of what an attempt of a chunk has printed. */
export type LivePart = {
  readonly edge: EdgeName;
  readonly attempt: number;
  /** Where it begins in the whole output. */
  readonly offset: number;
  readonly bytes: number;
  /** Itself where it is short, else the key of the object that it is. */
  readonly text: Uint8Array | null;
  readonly key: string | null;
  /** The edge had more when it sent this. */
  readonly isMore: boolean;
  /** The attempt has ended, and nothing comes behind this. */
  readonly isLast: boolean;
};
