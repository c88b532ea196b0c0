import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/**
 * Where a file lies while it comes, beside its place: under a name that says which bytes it is to
 * be, so that no result of the same job is taken for it, and that fits where the own name does.
 */
export function partialOf({ target, sha256 }: { target: string; sha256: string }): string {
  const which = createHash('sha256')
    .update(`${sha256} ${basename(target)}`)
    .digest('hex');
  return join(dirname(target), `.${which.slice(0, 32)}.part`);
}
