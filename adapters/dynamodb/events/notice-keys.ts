import type { JobId } from '../../../core/model/names.ts';
import { auditTimeDigits, jobPartition, type Key, type ListKey } from '../keys.ts';
import { jobRows, lists } from '../schema.ts';

export function noticeKey(job: JobId): Key {
  return { pk: jobPartition(job), sk: jobRows.notice };
}

export function noticeListKey(job: JobId | '', atMs: number): ListKey {
  const time = String(atMs).padStart(auditTimeDigits, '0');
  return { listPk: lists.notices, listSk: `${time}#${job}` };
}
