import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, seesPool } from '../../../core/model/caller.ts';
import { badQuery } from '../http/call.ts';

const poolOfNobody = 'default';

/** Whose files a token means: that of its own pool, unless it sees others and names one. */
export function poolOfFiles(caller: Caller, named: string | undefined): string {
  if (caller.kind === 'edge') throw badQuery('job', 'An edge names the job that needs the file.');
  const pool = named ?? caller.pool ?? poolOfNobody;
  if (seesPool(caller, pool)) return pool;
  throw new ProblemError('forbidden', 'This token has nothing to do with this pool.');
}

export const noSuchFile = (digest: string): ProblemError => notFound(`file ${digest}`);
