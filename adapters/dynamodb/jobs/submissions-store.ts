import type { JobId } from '../../../core/model/names.ts';
import type { Submission } from '../../../core/model/submission.ts';
import type { SubmissionsStore } from '../../../core/ports/submissions.ts';
import { putAudit } from '../access/audit-store.ts';
import { putFirstAnswer } from '../access/idempotency-store.ts';
import {
  openSubmissionKey,
  submissionKey,
  submissionListPartition,
  submissionOfRow,
} from '../keys.ts';
import { text } from '../rows/row-values.ts';
import {
  decodeSubmission,
  encodeOpenSubmission,
  encodeSubmission,
} from '../rows/rows-submission.ts';
import { readableRows } from '../rows/unreadable-row.ts';
import { listIndex, lists } from '../schema.ts';
import type { Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { jobOfPosition, positionAt, positionOf } from './job-position.ts';
import { absent } from './job-writes.ts';

/** Jobspecs that were accepted: one row each, and one more while something is still to be done. */
export function createSubmissionsStore(table: Table): SubmissionsStore {
  return {
    async find(id) {
      const row = await table.get(submissionKey(id));
      return row === null ? null : decodeSubmission(row);
    },

    async list(pool, position, limit) {
      const listPk = submissionListPartition(pool);
      const before = position === null ? {} : { after: startOf(listPk, position) };
      const page = await table.query({
        pk: listPk,
        index: listIndex.name,
        backwards: true,
        limit,
        ...before,
      });
      return readableRows(table, page.rows, (row) => {
        return { id: submissionOfRow(row), position: text(row.listSk) };
      });
    },

    listOpen: (limit) => idsIn(table, lists.openSubmissions, limit),
    listWaiting: (limit) => idsIn(table, lists.waitingSubmissions, limit),

    async create(submission, kept, audit) {
      const position = positionOf(submission.id, submission.createdAtMs);
      const answer = kept === null ? [] : [putFirstAnswer(kept.request, kept.answer, kept.atMs)];
      const outcome = await transactWithRetry(table, [
        { kind: 'put', row: encodeSubmission(submission, position), condition: absent },
        ...openWrites(submission),
        putAudit(audit),
        ...answer,
      ]);
      if (outcome.kind === 'committed') return 'created';
      return outcome.failed.includes(0) ? 'id-taken' : 'key-taken';
    },

    async save(next, seenVersion) {
      const position = positionOf(next.id, next.createdAtMs);
      const condition = { expression: '#version = :seen', values: { seen: seenVersion } };
      const outcome = await transactWithRetry(table, [
        { kind: 'put', row: encodeSubmission(next, position), condition },
        ...openWrites(next),
      ]);
      return outcome.kind === 'committed';
    },

    async remove(id: JobId) {
      await transactWithRetry(table, [
        { kind: 'delete', key: submissionKey(id) },
        { kind: 'delete', key: openSubmissionKey(id) },
      ]);
    },
  };
}

async function idsIn(table: Table, listPk: string, limit: number): Promise<readonly JobId[]> {
  const page = await table.query({ pk: listPk, index: listIndex.name, limit });
  return readableRows(table, page.rows, submissionOfRow);
}

function openWrites(submission: Submission): Write[] {
  const { id, isOpen, waits, createdAtMs, lookedAtMs } = submission;
  const position = waits ? positionAt(id, lookedAtMs) : positionOf(id, createdAtMs);
  return isOpen
    ? [{ kind: 'put', row: encodeOpenSubmission(submission, position) }]
    : [{ kind: 'delete', key: openSubmissionKey(id) }];
}

function startOf(listPk: string, position: string) {
  return { ...submissionKey(jobOfPosition(position)), listPk, listSk: position };
}
