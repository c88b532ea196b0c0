import type { WaitingReason } from '../../contract/waiting-reason.ts';

/**
 * What a pass has worked out once, because many jobs of a cell ask the same: filled on first use.
 * A shape is what a job requires of an edge (`shapeOf`), a need is a shape and the resources of
 * one chunk.
 */
export type Memo<Edge> = {
  /** Edges that may get new work of any job; `null` until somebody asks. */
  openEdges: readonly Edge[] | null;
  /** Those of them that match. */
  readonly matchingByShape: Map<string, readonly Edge[]>;
  /** Whether the cell has no edge that matches, not even one that is away. */
  readonly strandedByShape: Map<string, boolean>;
  readonly kindByShape: Map<string, Kind<Edge>>;
  /** Why edges that match have no room. */
  readonly shortagesByNeed: Map<string, ReadonlyMap<WaitingReason, FoundEdges<Edge>>>;
  /** The power of a chunk from which on nothing fits any more: spares looking again. */
  readonly unfitPowerByNeed: Map<string, number>;
};

/** The edges of a cell as jobs of one shape see them: those that fit, and why the others do not. */
export type Kind<Edge> = {
  readonly reasons: ReadonlyMap<WaitingReason, FoundEdges<Edge>>;
  readonly fitting: readonly Edge[];
};

/** Edges that a reason rules out, with a few of them as examples. */
export type FoundEdges<Edge> = { edges: number; examples: Edge[]; detail: string };

export function newMemo<Edge>(): Memo<Edge> {
  return {
    openEdges: null,
    matchingByShape: new Map(),
    strandedByShape: new Map(),
    kindByShape: new Map(),
    shortagesByNeed: new Map(),
    unfitPowerByNeed: new Map(),
  };
}
