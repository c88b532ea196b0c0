import { ProblemError } from '../../../core/contract/problem.ts';
import { unnamedPoolsMax } from '../../../core/model/limits.ts';

/** A job or an edge would make one more pool that nobody has named. */
export function tooManyPools(pool: string): ProblemError {
  const most = `There are ${unnamedPoolsMax} pools that nobody has named, which is the most`;
  const detail = `${most}. If "${pool}" is meant, name it: PUT /v1/pools/${pool}.`;
  return new ProblemError('limit-reached', detail);
}
