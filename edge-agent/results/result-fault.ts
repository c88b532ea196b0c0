import { failureTextLengthMax } from '../../core/model/limits.ts';

/**
 * What a chunk left cannot be its results, whatever is tried again here: the attempt failed, for
 * this reason. Everything else that goes wrong passes, and is waited for.
 */
export class ResultFault extends Error {
  get failure(): string {
    return `outputs: ${this.message}`.slice(0, failureTextLengthMax);
  }
}
