import type { JobId } from '../../../core/model/names.ts';
import type { Key } from '../keys.ts';
import { nameRows, partitions } from '../schema.ts';

/** Of a service of this name or, without one, of the last that was to be the only one. */
export function nameKey(pool: string, name: string, job: JobId | null): Key {
  const sk = job === null ? nameRows.last : `${nameRows.job}${job}`;
  return { pk: `${partitions.name}${pool}#${name}`, sk };
}
