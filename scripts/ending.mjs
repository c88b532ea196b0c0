/**
 * Tells once that this program shall end: Ctrl-C, SIGTERM, a closed terminal, or the end of the npm
 * that started it (which a `kill -9` does not announce). A second Ctrl-C ends it at once; the
 * companions notice by their lifelines.
 */
const parentLookMs = 500;

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
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && !asked) end();
    }, parentLookMs).unref();
  });
}
