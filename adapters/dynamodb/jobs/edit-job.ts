import type { JobEdit } from '../../../core/jobs/edit.ts';
import type { Write } from '../table.ts';
import { intentWrite, specWrite, statusWrite } from './job-writes.ts';

/** The spec, and whatever copies a part of it. */
export function editWrites(change: JobEdit): Write[] {
  const { id, spec, cells } = change;
  const { priority, retries } = spec;
  const labels = JSON.stringify(spec.labels);
  return [
    specWrite(change, { spec: JSON.stringify(spec) }),
    statusWrite(id, { labels, maxFailedChunks: retries.maxFailedChunks }),
    ...cells.map((cell) => intentWrite(cell, id, { priority, retries: JSON.stringify(retries) })),
  ];
}
