/**
 * Tells once that this program shall end: Ctrl-C, SIGTERM, a closed terminal, or the end of the npm
 * that started it (which a `kill -9` does not announce). A second Ctrl-C ends it at once; the
 * child processes notice by their lifelines.
 */
import { readFileSync } from 'node:fs';

const parentLookMs = 500;

/** @returns {Promise<void>} */
export function untilEnded() {
  return new Promise((resolve) => {
    let asked = false;
    const end = () => {
      if (asked) process.exit(130);
      asked = true;
      // A terminal and npm both pass on the same Ctrl-C.
      const repeated = () => undefined;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
        process.off(signal, end);
        process.on(signal, repeated);
      }
      setTimeout(() => {
        for (const signal of ['SIGINT', 'SIGTERM']) {
          process.off(signal, repeated);
          process.on(signal, end);
        }
      }, 1_000).unref();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
    for (const stream of [process.stdout, process.stderr]) stream.on('error', end);
    if (process.env.npm_lifecycle_event === undefined) return;
    const before = ancestors();
    setInterval(() => {
      if (ancestors() !== before && !asked) end();
    }, parentLookMs).unref();
  });
}

/** The parent, and where the system tells, its parent: npm runs its scripts through a shell. */
function ancestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the parent is the second word after it.
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${process.ppid}`;
  }
}
