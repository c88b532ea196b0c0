import type { JobEdit } from '../../../core/jobs/edit.ts';
import type { Write } from '../table.ts';
import { intentWrite, openJob, specWrite, statusWrite } from './job-writes.ts';

/** The spec, and whatever copies a part of it. */
export function editWrites(change: JobEdit, lastEventAtMs: number): Write[] {
  const { id, spec, chunking, cells } = change;
  const cut = JSON.stringify(chunking);
  const { priority, retries } = spec;
  const labels = JSON.stringify(spec.labels);
  return [
    specWrite(change, { spec: JSON.stringify(spec), cut }),
    statusWrite(
      id,
      { cut, labels, maxFailedChunks: retries.maxFailedChunks, lastEventAtMs, byCell: false },
      change.ofOpenJob ? openJob : undefined,
    ),
    ...cells.map((cell) =>
      intentWrite(cell, id, { cut, priority, retries: JSON.stringify(retries) }),
    ),
  ];
}
