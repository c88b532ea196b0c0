/**
 * The state directory holds the admin token, private keys and everything that users sent: nobody
 * but its owner may look into it, whoever made it and with whatever umask.
 *
 * One that was there before is closed when it is empty or one of ours. Others are left as they are
 * and refused: closing the wrong directory (a home, `/tmp`) would shut out programs that use it.
 */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { errorCode, StartFailure } from '../failure.ts';

const others = 0o077;

export function openPrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if ((statSync(path).mode & others) === 0) return;
  if (!isOurs(path)) {
    throw new StartFailure(
      `The state directory ${path} can be read by others and holds files that are not of the ` +
        'local cloud; choose a directory of its own with --state DIR.',
    );
  }
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
    throw new StartFailure(
      `The state directory ${path} belongs to somebody else; choose another with --state DIR.`,
    );
  }
}

/** What whoever starts the local cloud may have put there before it: its own log. */
const before = new Set(['log', 'logs', 'cloud.log', 'edges']);

function isOurs(path: string): boolean {
  const names = readdirSync(path);
  return names.includes('cloud.sqlite') || names.every((name) => before.has(name));
}

/** Makes the file when it is missing, and readable by its owner only. */
export function ensurePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  if ((statSync(path).mode & others) !== 0) chmodSync(path, 0o600);
}
