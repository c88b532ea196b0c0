import { sameInterruptMs } from './limits.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

/**
 * The entry of `edgewise`: gives a command the real process and nothing else. A first Ctrl-C asks
 * it to end, a second one ends it. A reader that goes away (`| head`) ends it quietly.
 */
const interruption = new AbortController();
let interruptedAtMs = Number.NEGATIVE_INFINITY;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const nowMs = performance.now();
    if (interruption.signal.aborted && nowMs - interruptedAtMs > sameInterruptMs) process.exit(130);
    if (!interruption.signal.aborted) interruptedAtMs = nowMs;
    interruption.abort();
  });
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`edgewise: The output cannot be written (${error.code ?? error}).\n`);
  process.exit(1);
});
// A closed stderr does not stop the work.
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), processTerminal(interruption.signal));
