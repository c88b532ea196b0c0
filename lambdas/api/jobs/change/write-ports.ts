import type { Ports } from '../../ports.ts';

/** What submitting needs. */
export type SubmitDeps = Pick<Ports, 'jobs' | 'changes' | 'cells' | 'idempotency' | 'random'> & {
  /** Without it, placing is left to the pass that the stream wakes. */
  readonly placing?: Ports['placing'];
  readonly edges: Pick<Ports['edges'], 'cellsOf' | 'listCell'>;
};

/** What submitting a job of its own files needs besides. */
export type WithFiles = SubmitDeps & Pick<Ports, 'files' | 'allowsLoopback'>;

/** What changing jobs needs besides. */
export type JobsWriteDeps = WithFiles &
  Pick<Ports, 'audit'> & {
    readonly outputs: Pick<Ports['outputs'], 'removeAll'>;
    readonly results: Pick<Ports['results'], 'removeAll'>;
  };
