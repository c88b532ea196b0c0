import type { JobId } from '../model/names.ts';

/**
 * Jobs of a cell that wait behind enough others which need the same (`core/shelf/groups.ts`).
 * They stand outside of what a pass reads, in their order; the cell knows how many there are.
 */
export type Shelf<Job> = {
  readonly groups: ReadonlyMap<string, ShelfGroup>;
  /** The first jobs of groups that run short of others before them, as they were asked for. */
  readonly next: ReadonlyMap<string, readonly Job[]>;
};

/** Jobs that need the same. */
export type ShelfGroup = {
  readonly queue: string;
  readonly priority: number;
  readonly jobs: number;
  /** Of each of them. */
  readonly chunks: number;
  readonly power: number;
  /** None of them comes before this. */
  readonly first: Arrival;
};

/** Within one queue and priority the earlier job goes first; ids decide between equals. */
export type Arrival = { readonly submittedAtMs: number; readonly id: JobId };

/** What a plan changes of the shelf. */
export type ShelfChange<Job> = {
  /** As they are then; `null` of one without jobs. */
  readonly groups: ReadonlyMap<string, ShelfGroup | null>;
  /** Jobs that go onto the shelf, with their slices, and the groups they are in. */
  readonly shelved: ReadonlyMap<JobId, ShelvedJob<Job>>;
  /** Jobs that come from the shelf: passes see them from now on. */
  readonly taken: ReadonlyMap<JobId, ShelvedJob<Job>>;
  /** Jobs that their users brought back, and that are counted no more in their groups. */
  readonly settled: ReadonlySet<JobId>;
};

export type ShelvedJob<Job> = {
  readonly group: string;
  readonly job: Job;
  /** What was stored of its slice goes. */
  readonly hadSliceRow?: true;
};

type Waiting = {
  readonly id: JobId;
  readonly intent: { readonly submittedAtMs: number };
};

export function isEarlier(a: Arrival, b: Arrival): boolean {
  if (a.submittedAtMs !== b.submittedAtMs) return a.submittedAtMs < b.submittedAtMs;
  return a.id < b.id;
}

export function arrivalOf({ id, intent }: Waiting): Arrival {
  return { id, submittedAtMs: intent.submittedAtMs };
}
