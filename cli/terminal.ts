import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { text as readStream } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The world as a command sees it: two streams, a keyboard, an environment, a clock. Data goes to
 * `out`, messages to `say`; nothing else in `cli/` touches the process, so that whole sessions run
 * inside a test.
 */
export type Terminal = {
  /** Data. Written as it is, so it must end its own line. */
  out(data: string | Uint8Array): void;
  /** A message, on stderr, one line. */
  say(line: string): void;
  /** A message without an end of line: progress that is drawn over. */
  draw(text: string): void;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly inIsTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly home: string;
  nowMs(): number;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Ends early, without an error, when the user interrupts, and when it is cut short. */
  sleep(ms: number, cut?: AbortSignal): Promise<void>;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly interrupted: AbortSignal;
  ask(question: string): Promise<string>;
  /** A file, or stdin for `-`. */
  read(path: string): Promise<string>;
};

export function processTerminal(interrupted: AbortSignal): Terminal {
  return {
    out: (data) => void process.stdout.write(data),
    say: (line) => void process.stderr.write(`${line}\n`),
    draw: (text) => void process.stderr.write(text),
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    inIsTerminal: process.stdin.isTTY === true,
    // Asked each time: a window may change while something is watched.
    get columns() {
      return process.stdout.columns ?? process.stderr.columns ?? 100;
    },
    get rows() {
      return process.stdout.rows ?? process.stderr.rows ?? 40;
    },
    env: process.env,
    directory: process.cwd(),
    home: homedir(),
    nowMs: () => Date.now(),
    random: () => Math.random(),
    sleep: (ms, cut) => {
      const signal = cut === undefined ? interrupted : AbortSignal.any([interrupted, cut]);
      return delay(ms, undefined, { signal }).catch(() => undefined);
    },
    interrupted,
    ask: async (question) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question, { signal: interrupted });
      } finally {
        lines.close();
      }
    },
    read: (path) => (path === '-' ? readStream(process.stdin) : readFile(path, 'utf8')),
  };
}
