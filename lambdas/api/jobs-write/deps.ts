import type { Ports } from '../ports.ts';

/** What submitting needs. */
export type SubmitDeps = Pick<Ports, 'jobs' | 'edges' | 'cells' | 'idempotency'>;

/** What changing jobs needs besides. */
export type JobsWriteDeps = SubmitDeps & Pick<Ports, 'changes' | 'outputs'>;
