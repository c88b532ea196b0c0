import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Terminal } from '../../cli/terminal.ts';

/**
 * A terminal whose time only passes when a command sleeps, and whose user answers from a list. What
 * is written is kept in order: data as it is, talk marked with `! `, as a golden session shows it.
 */
export type ScriptedTerminal = Terminal & {
  readonly written: () => string;
  readonly data: () => string;
  /** The same, byte for byte. */
  readonly bytes: () => Buffer;
  readonly talk: () => string;
  readonly interrupt: () => void;
};

export type Script = {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly answers?: readonly string[];
  /** All three streams are a terminal. */
  readonly interactive?: boolean;
  /** Interrupts when the command has slept this long. */
  readonly interruptAfterMs?: number;
  readonly startMs?: number;
  /** Somebody else's time passes with that of the terminal. */
  readonly pass?: (ms: number) => Promise<void>;
  readonly columns?: number;
  readonly rows?: number;
};

export const sessionStart = '2026-01-01T12:00:00.000Z';

export function scriptedTerminal(script: Script): ScriptedTerminal {
  const interruption = new AbortController();
  const startMs = script.startMs ?? Date.parse(sessionStart);
  const answers = [...(script.answers ?? [])];
  const interactive = script.interactive === true;
  let nowMs = startMs;
  let written = '';
  let data = '';
  const bytes: Buffer[] = [];
  let talk = '';
  let lineOpen = false;
  const write = (text: string, mark: string): void => {
    for (const part of text.split(/(?<=\n)/)) {
      written += (lineOpen ? '' : mark) + part;
      lineOpen = !part.endsWith('\n');
    }
  };
  return {
    written: () => written,
    data: () => data,
    bytes: () => Buffer.concat(bytes),
    talk: () => talk,
    interrupt: () => interruption.abort(),
    out: (chunk) => {
      bytes.push(Buffer.from(chunk));
      const text = Buffer.from(chunk).toString('utf8');
      data += text;
      write(text, '');
    },
    say: (line) => {
      talk += `${line}\n`;
      write(`${line}\n`, '! ');
    },
    draw: (text) => {
      talk += text;
      write(text, '! ');
    },
    outIsTerminal: interactive,
    errIsTerminal: interactive,
    inIsTerminal: interactive,
    columns: script.columns ?? 100,
    rows: script.rows ?? 40,
    env: script.env ?? {},
    directory: script.directory,
    home: script.directory,
    nowMs: () => nowMs,
    random: () => 0.5,
    sleep: async (ms) => {
      nowMs += ms;
      await script.pass?.(ms);
      if (script.interruptAfterMs !== undefined && nowMs - startMs >= script.interruptAfterMs) {
        interruption.abort();
      }
    },
    interrupted: interruption.signal,
    ask: async (question) => {
      const answer = answers.shift() ?? '';
      write(`${question}${answer}\n`, '! ');
      return answer;
    },
    read: (path) => readFile(isAbsolute(path) ? path : join(script.directory, path), 'utf8'),
  };
}
