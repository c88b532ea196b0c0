import type { JobPurge } from '../../../core/jobs/cancel.ts';
import { purgeRowsMax } from '../../../core/model/limits.ts';
import { jobPartition, specKey } from '../keys.ts';
import { nameKey } from '../services/name-key.ts';
import type { Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';

/**
 * Every row of a job goes; the index forgets it with its status. The spec goes last, so that a
 * purge that was cut short can be asked for again.
 */
export async function purgeJob(table: Table, { id, named }: JobPurge): Promise<void> {
  if (named !== undefined) {
    const key = nameKey(named.pool, named.name, id);
    await transactWithRetry(table, [{ kind: 'delete', key }]);
  }
  const rows = await table.queryAll({
    pk: jobPartition(id),
    consistent: true,
    attributes: ['pk', 'sk'],
  });
  const last = specKey(id).sk;
  const ordered = rows.toSorted((a, b) => Number(a.sk === last) - Number(b.sk === last));
  for (let start = 0; start < ordered.length; start += purgeRowsMax) {
    const writes = ordered
      .slice(start, start + purgeRowsMax)
      .map((row): Write => ({ kind: 'delete', key: row }));
    await transactWithRetry(table, writes);
  }
}
