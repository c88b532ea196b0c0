/** An event of a job's timeline. */
export type JobEvent = {
  readonly atMs: number;
  readonly kind: string;
  readonly by: string;
  readonly detail: string;
};

/** What a fold adds to the fleet's rates: chunks done and jobs ended since the one before. */
export type Progress = { readonly chunks: number; readonly jobs: number };
