import type { Log } from '../host/log-lines.ts';
import { defectLinesMax } from '../limits.ts';
import type { LinkEvents } from './link.ts';

/**
 * What this program makes of what arrives may go wrong by its own fault. That is no trouble of the
 * network, and no reason to ask more rarely: it is said, once for each fault, and the link goes on,
 * because the next document may be one that is understood.
 */
export function tellDefects(edge: string, events: LinkEvents, log: Log): Required<LinkEvents> {
  let saidWords = '';
  const guarded =
    <A extends readonly unknown[]>(react: (...args: A) => void) =>
    (...args: A): void => {
      try {
        react(...args);
      } catch (error) {
        const words = wordsOf(error);
        if (words !== saidWords)
          log(`${edge}: a defect of this program, please report it: ${words}`, 'error');
        saidWords = words;
      }
    };
  return {
    work: guarded(events.work),
    connected: guarded(events.connected),
    disconnected: guarded(events.disconnected),
    notConnected: guarded((reason) => events.notConnected?.(reason)),
    revoked: guarded(events.revoked),
  };
}

/** With where it happened, in one line. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n').slice(0, defectLinesMax);
  return lines.map((line) => line.trim()).join(' ');
}
