import type { EdgeName } from '../model/names.ts';
import type { WorkJson } from '../protocol/work.ts';

/** The `work` document of an edge: written by passes alone, read by the edge. */
export type WorkShadows = {
  /** Writes the whole desired document of one edge. Safe to repeat. */
  write(edge: EdgeName, work: WorkJson): Promise<void>;
};

/** The wishes for output beside the work: of another writer, and no part of what passes write. */
export type LiveShadows = {
  /** Safe to repeat. */
  wish(edge: EdgeName, wishes: string): Promise<void>;
};

/** Reads the `work` document of an edge for those that have no MQTT. */
export type EdgeShadows = {
  /** The desired document as it is; `null` when nothing was ever written. */
  readWork(edge: EdgeName): Promise<Readonly<Record<string, unknown>> | null>;
};
