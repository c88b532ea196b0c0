import type { JobRetry } from '../../../core/jobs/retry.ts';
import { metaKey } from '../keys.ts';
import { encodeIntent, encodeSlice } from '../rows/rows-slice.ts';
import type { Write } from '../table.ts';
import { absent, intentWrite, specWrite, statusWrite } from './job-writes.ts';

/** Where a job begins again, it must not have begun in the meantime. */
export function retryWrites(change: JobRetry, lastEventAtMs: number): Write[] {
  const { id, status, retryEpoch } = change;
  return [
    specWrite(change, { retryEpoch }),
    statusWrite(id, {
      ...status,
      counts: JSON.stringify(status.counts),
      retrying: JSON.stringify(status.retrying),
      lastEventAtMs,
      byCell: false,
    }),
    ...change.raised.map((cell) => intentWrite(cell, id, { retryEpoch })),
    ...change.overtaken.map(
      (cell): Write => ({ kind: 'update', key: metaKey(cell), change: { add: { version: 1 } } }),
    ),
    ...[...change.reopened].flatMap(([cell, { intent, slice }]): Write[] => [
      { kind: 'put', row: encodeIntent(cell, id, intent), condition: absent },
      { kind: 'put', row: encodeSlice(cell, id, slice), condition: absent },
    ]),
  ];
}
