import type { JobCancel } from '../../../core/jobs/cancel.ts';
import type { Write } from '../table.ts';
import { intentWrite, specWrite, statusWrite } from './job-writes.ts';

export function cancelWrites(change: JobCancel): Write[] {
  const { id, atMs, cells } = change;
  return [
    specWrite(change, { cancelledAtMs: atMs }),
    statusWrite(id, { cancelled: true }),
    ...cells.map((cell) => intentWrite(cell, id, { cancelled: true })),
  ];
}
