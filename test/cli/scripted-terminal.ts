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
    talk: () => talk,
    interrupt: () => interruption.abort(),
    out: (text) => {
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
