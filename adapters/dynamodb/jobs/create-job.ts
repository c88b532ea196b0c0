import type { JobCreation } from '../../../core/jobs/submit.ts';
import type { CreateOutcome, KeptAnswer } from '../../../core/ports/jobs.ts';
import { putFirstAnswer } from '../access/idempotency-store.ts';
import { dependantKey, statusKey } from '../keys.ts';
import { encodeStatus } from '../rows/rows-job.ts';
import { encodeIntent } from '../rows/rows-slice.ts';
import { encodeSpec } from '../rows/rows-spec.ts';
import type { Condition, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { positionOf } from './job-position.ts';
import { absent } from './job-writes.ts';

const open: Condition = {
  expression: '#state IN (:waiting, :pending, :scheduled, :running)',
  values: { waiting: 'waiting', pending: 'pending', scheduled: 'scheduled', running: 'running' },
};

export async function createJob(
  table: Table,
  creation: JobCreation,
  kept: KeptAnswer | null,
): Promise<CreateOutcome> {
  const writes = creationWrites(creation);
  const answer = kept === null ? [] : [putFirstAnswer(kept.request, kept.answer, kept.atMs)];
  const outcome = await transactWithRetry(table, [...writes, ...answer]);
  if (outcome.kind === 'committed') return 'created';
  if (outcome.failed.some((at) => at >= writes.length)) return 'key-taken';
  const firstCheck = writes.length - creation.openParents.length;
  return outcome.failed.some((at) => at >= firstCheck) ? 'parent-ended' : 'id-taken';
}

/** The checks of the parents come last. */
export function creationWrites({ job, status, intents, openParents }: JobCreation): Write[] {
  return [
    { kind: 'put', row: encodeSpec(job), condition: absent },
    { kind: 'put', row: { ...encodeStatus(status), listSk: positionOf(job.id, job.createdAtMs) } },
    ...[...intents].map(
      ([cell, { intent, ranges }]): Write => ({
        kind: 'put',
        row: encodeIntent(cell, job.id, intent, ranges),
      }),
    ),
    ...openParents.map((it): Write => ({ kind: 'put', row: dependantKey(it, job.id) })),
    ...openParents.map((it): Write => ({ kind: 'check', key: statusKey(it), condition: open })),
  ];
}
