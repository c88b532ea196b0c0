import type { JobCancel } from '../../../core/jobs/cancel.ts';
import type { JobRangesCancel } from '../../../core/jobs/cancel-ranges.ts';
import { encodeCancelledRanges } from '../rows/cancelled-ranges.ts';
import type { Write } from '../table.ts';
import { intentWrite, openJob, specWrite, statusWrite } from './job-writes.ts';

/** A job whose end is known by now stays as it ended: then the whole change fails. */
export function cancelWrites(change: JobCancel, lastEventAtMs: number): Write[] {
  const { id, atMs, cells } = change;
  return [
    specWrite(change, { cancelledAtMs: atMs }),
    statusWrite(id, { cancelled: true, lastEventAtMs, byCell: false }, openJob),
    ...cells.map((cell) => intentWrite(cell, id, { cancelled: true })),
  ];
}

/** What is not wanted any more is written whole, so that a repeat changes nothing. */
export function cancelRangesWrites(change: JobRangesCancel, lastEventAtMs: number): Write[] {
  const { id, cells } = change;
  const unwanted = encodeCancelledRanges(change);
  return [
    specWrite(change, unwanted),
    statusWrite(id, { ...unwanted, lastEventAtMs, byCell: false }, openJob),
    ...cells.map((cell) => intentWrite(cell, id, unwanted)),
  ];
}
