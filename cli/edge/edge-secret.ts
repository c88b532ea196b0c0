import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';

/**
 * What only the edge itself may do. A token that is refused there lacks no scope: no token of a
 * user has it, the edge's own secret has.
 */
export async function asEdge<T>(edge: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Failure) || error.problem?.status !== 403) throw error;
    throw new Failure(
      exitCode.notAuthorised,
      `Only ${edge} itself may do this.`,
      'Give its secret, which its enrolment printed: --token "$EDGE_SECRET"',
      error.problem,
    );
  }
}
