import type { Ports } from '../ports.ts';

/** What submitting needs. */
export type SubmitDeps = Pick<
  Ports,
  'jobs' | 'changes' | 'edges' | 'cells' | 'idempotency' | 'random'
>;

/** What changing jobs needs besides. */
export type JobsWriteDeps = SubmitDeps & Pick<Ports, 'outputs'>;
