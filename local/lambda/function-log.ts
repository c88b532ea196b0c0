/**
 * One log file per function (`<state>/logs/<function>.log`), with the lines that CloudWatch Logs
 * would show: INIT_START, START, what the handler prints, END and REPORT with duration and memory.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { logFileBytesMax } from '../limits.ts';

export interface FunctionLog {
  /** Number of an open file that a child process can inherit as its output. */
  output(): number;
  line(text: string): void;
  close(): void;
}

export function openFunctionLog(path: string): FunctionLog {
  let file = openSync(path, 'a');
  let lines = 0;
  const turnOver = (): void => {
    if (fstatSync(file).size < logFileBytesMax) return;
    closeSync(file);
    renameSync(path, `${path}.1`);
    file = openSync(path, 'a');
  };
  return {
    output: () => {
      turnOver();
      return file;
    },
    line: (text) => {
      lines += 1;
      if (lines % 1_000 === 0) turnOver();
      writeSync(file, `${text}\n`);
    },
    close: () => closeSync(file),
  };
}
