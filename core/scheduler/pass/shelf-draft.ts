import type { Cell, CellJob } from '../../model/cell.ts';
import type { JobId } from '../../model/names.ts';
import type { ShelfGroup } from '../../shelf/shelf.ts';

/** The shelf as a pass is changing it. */
export type ShelfDraft = {
  readonly groups: Map<string, ShelfGroup>;
  readonly changed: Set<string>;
  readonly shelved: Map<JobId, string>;
  readonly taken: Map<JobId, { readonly group: string; readonly job: CellJob }>;
  readonly settled: Set<JobId>;
  /** Groups of which a job as plain as those on the shelf had to wait: so have they. */
  readonly stuck: Set<string>;
  /** Whether jobs on the shelf come before all that was not served. */
  isHalted: boolean;
};

export function openShelf({ shelf }: Cell): ShelfDraft {
  return {
    groups: new Map(shelf?.groups),
    changed: new Set(),
    shelved: new Map(),
    taken: new Map(),
    settled: new Set(),
    stuck: new Set(),
    isHalted: false,
  };
}
