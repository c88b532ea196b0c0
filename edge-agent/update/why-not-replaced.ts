import { UpdateError } from './fetch-release.ts';

/** What the host refuses, in words for whoever updates; anything else as it is. */
export function whyNotReplaced(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new UpdateError(`This user may not replace ${path}: update as its owner, or as root.`);
    case 'EROFS':
      return new UpdateError(`${path} is on a disk that is read-only: update the image it is of.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return new UpdateError(`There is no room for another program beside ${path}. Make some.`);
    default:
      return error;
  }
}
