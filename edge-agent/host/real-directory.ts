import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Where a working directory really is: absolute, without `..` or doubled slashes, links followed as
 * far as it exists. Without one a chunk runs in its own directory.
 */
export function realDirectory(cwd: string | null, own: string): string {
  return followed(resolve(own, cwd ?? '.'));
}

function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(followed(parent), basename(path));
  }
}
