import type { Ports } from '../../ports.ts';

/** What submitting needs. */
export type SubmitDeps = Pick<Ports, 'jobs' | 'changes' | 'cells' | 'idempotency' | 'random'> & {
  readonly edges: Pick<Ports['edges'], 'cellsOf'>;
};

/** What changing jobs needs besides. */
export type JobsWriteDeps = SubmitDeps & { readonly outputs: Pick<Ports['outputs'], 'removeAll'> };
