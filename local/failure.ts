/**
 * A failure that a user can mend: its message is one clear sentence and is printed without a stack.
 * Everything else that is thrown is a bug of the local cloud.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** The code of a system error (`EADDRINUSE`, …), or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
