import type { JobAnswer } from '../../../core/contract/job-answer.ts';
import { cancelRanges } from '../../../core/jobs/cancel-ranges.ts';
import { cancelledRangesLengthMax } from '../../../core/jobs/limits.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { isEmpty, parseRanges, type RangeSet } from '../../../core/model/ranges.ts';
import { badQuery, checkQuery } from '../http/call.ts';
import { tagged, type Versioned } from '../http/etag.ts';
import { noPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import { type ChangeDeps, changeJob, readChange } from './change/change-job.ts';
import { jobNow } from './view/job-now.ts';

type Cancelled = { readonly changed: boolean; readonly job: Versioned<JobAnswer> };

/**
 * `DELETE /v1/jobs/{id}/chunks?ranges=0-99,140`: these chunks are cancelled, and the job goes on
 * with the others. What of them has ended stays as it ended; a repeat changes nothing (200).
 */
export const cancelChunks = defineOperation({
  name: 'cancelChunks',
  read: (call) => {
    checkQuery(call, ['ranges']);
    return { ...readChange(call), ranges: unwantedRanges(call.query.ranges) };
  },
  run: async ({ ranges, ...change }, context, deps: ChangeDeps): Promise<Cancelled> => {
    let next = change;
    let changed = false;
    // Chunks may have moved to another cell just before: that one has to learn of it, too.
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const outcome = await changeJob(next, context, deps, (found, cells) =>
        cancelRanges(found, cells, ranges),
      );
      if (outcome === 'unchanged') break;
      changed = true;
      next = { ...change, precondition: noPrecondition };
    }
    return { changed, job: await jobNow(change.id, context, deps) };
  },
  answer: ({ changed, job }) => tagged(changed ? 202 : 200, job),
});

export function unwantedRanges(text: string | undefined): RangeSet {
  if (text === undefined) throw badQuery('ranges', 'Say which chunks, for example 0-99,140.');
  if (text.length > cancelledRangesLengthMax) {
    throw badQuery('ranges', `This has at most ${cancelledRangesLengthMax} characters.`);
  }
  const ranges = parseRanges(text);
  if (ranges === null || isEmpty(ranges)) {
    throw badQuery('ranges', 'These are no rising ranges of numbers, such as 0-99,140.');
  }
  return ranges;
}
