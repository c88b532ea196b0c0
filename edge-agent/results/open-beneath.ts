import { closeSync, constants, existsSync, fstatSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens what lies below a directory that a stranger may change meanwhile: part by part, each in the
 * directory that was opened before, and never through a link. The kernel's own name of an open
 * directory is what Node has in the place of `openat`; where there is none, paths have to do.
 */
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const hasNames = existsSync('/proc/self/fd');

/** A name by which what lies in an open directory can be reached. */
export type OpenDirectory = { readonly fd: number; readonly path: string };

export function withDirectory<T>(
  root: string,
  parts: readonly string[],
  use: (directory: OpenDirectory) => T,
): T {
  let directory = named(openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), root);
  try {
    for (const part of parts) {
      const path = join(directory.path, part);
      const next = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      closeSync(directory.fd);
      directory = named(next, path);
    }
    return use(directory);
  } finally {
    closeSync(directory.fd);
  }
}

function named(fd: number, path: string): OpenDirectory {
  return { fd, path: hasNames ? `/proc/self/fd/${fd}` : path };
}

/** A file of its own, or throws; whoever asks closes it. Nothing that blocks is waited for. */
export function openFile(
  root: string,
  path: string,
): { readonly fd: number; readonly stat: Stats } {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  return withDirectory(root, parts, (directory) => {
    const fd = openSync(join(directory.path, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return { fd, stat: fstatSync(fd) };
  });
}
