import type { JobCancel } from '../../../core/jobs/cancel.ts';
import type { Write } from '../table.ts';
import { askWrite, specWrite, statusWrite } from './job-writes.ts';

export function cancelWrites(change: JobCancel): Write[] {
  const { id, atMs, cells } = change;
  return [
    specWrite(change, { cancelledAtMs: atMs }),
    statusWrite(id, { cancelled: true }),
    ...cells.map((cell) => askWrite(cell, id, { cancelled: true })),
  ];
}
