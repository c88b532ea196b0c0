import type { Job } from '../../../core/contract/resources.ts';
import { type BulkAction, BulkBar } from '../bulk/bulk-bar.tsx';
import type { Picking } from '../bulk/use-picking.tsx';

/** Cancels and retries many jobs at once. */
const over: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);
const pathOf = ({ id }: Job): string => `/v1/jobs/${encodeURIComponent(id)}`;

const actions: readonly BulkAction<Job>[] = [
  {
    name: 'Retry',
    question: (words) => `Run the failed chunks of ${words} again?`,
    explanation: <p>They get all their attempts again. What is done stays done.</p>,
    appliesTo: (job) => job.status.chunks.dead > 0 && job.status.state !== 'cancelled',
    send: (client, job) => client.send('POST', `${pathOf(job)}/retry`),
  },
  {
    name: 'Cancel',
    isDangerous: true,
    question: (words) => `Cancel ${words}?`,
    explanation: (
      <p>Chunks that are not done will not run; those that run now are stopped on their edges.</p>
    ),
    appliesTo: (job) => !over.has(job.status.state),
    send: (client, job) => client.send('DELETE', pathOf(job)),
  },
];

type JobBulkProps = { readonly picking: Picking<Job>; readonly onDone: () => void };

export function JobBulk({ picking, onDone }: JobBulkProps) {
  const nameOf = ({ id, name }: Job) => name ?? id;
  return <BulkBar {...{ picking, actions, nameOf, onDone }} noun="job" />;
}
