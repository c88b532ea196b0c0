import { createLog, type RequestLog } from '../../lambdas/log.ts';

/** A log that a test can read back. */
export function createQuietLog(): RequestLog & { readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    {},
    () => 0,
    (line) => lines.push(JSON.parse(line)),
  );
  return { ...log, lines };
}
