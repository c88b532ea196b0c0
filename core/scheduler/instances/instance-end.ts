import type { EdgeName } from '../../model/names.ts';
import type { Failure } from '../../protocol/progress-report.ts';

/** An instance of a service that ended in this pass by itself. */
export type InstanceEnd = {
  readonly chunk: number;
  readonly edge: EdgeName;
  readonly failure: Failure;
  /** When it was last started, or was to be. */
  readonly sinceMs: number;
};
