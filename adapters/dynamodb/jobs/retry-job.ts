import type { JobRetry } from '../../../core/jobs/retry.ts';
import { metaKey } from '../keys.ts';
import { encodeAsk, encodeSlice } from '../rows/rows-slice.ts';
import type { Write } from '../table.ts';
import { absent, askWrite, specWrite, statusWrite } from './job-writes.ts';

/** Where a job begins again, it must not have begun in the meantime. */
export function retryWrites(change: JobRetry): Write[] {
  const { id, status, retryEpoch } = change;
  return [
    specWrite(change, { retryEpoch }),
    statusWrite(id, {
      ...status,
      counts: JSON.stringify(status.counts),
      retrying: JSON.stringify(status.retrying),
    }),
    ...change.asked.map((cell) => askWrite(cell, id, { retryEpoch })),
    ...change.overtaken.map(
      (cell): Write => ({ kind: 'update', key: metaKey(cell), change: { add: { version: 1 } } }),
    ),
    ...[...change.reopened].flatMap(([cell, { ask, slice }]): Write[] => [
      { kind: 'put', row: encodeAsk(cell, id, ask), condition: absent },
      { kind: 'put', row: encodeSlice(cell, id, slice), condition: absent },
    ]),
  ];
}
