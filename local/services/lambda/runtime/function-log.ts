/**
 * One log file per function (`<state>/logs/<function>.log`), with the lines that CloudWatch Logs
 * would show: INIT_START, START, what the handler prints, END and REPORT with duration and memory.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { openLineTimes } from '../../../engine/line-times.ts';
import { emptyWhenFull } from '../../../engine/log-file.ts';
import { logFileBytesMax, logTailBytesMax, logTailReadBytesMax } from '../../../limits.ts';

export type FunctionLog = {
  /** Number of an open file that a child process can inherit as its output. */
  output(): number;
  line(text: string): void;
  /** Where the file ends now. */
  place(): number;
  /** "The last 4 KB of the execution log" of a request whose lines begin at this place. */
  tail(from: number, requestId: string): string;
  close(): void;
};

/** How many of its own lines pass between two looks at the size of the file. */
const linesPerLook = 64;

export function openFunctionLog(path: string, bytesMax = logFileBytesMax): FunctionLog {
  const file = openSync(path, 'a+');
  const times = openLineTimes(path);
  let lines = 0;
  const turnOver = (): void => {
    if (emptyWhenFull(path, file, bytesMax)) times.restart();
  };
  return {
    output: () => {
      turnOver();
      return file;
    },
    line: (text) => {
      lines += 1;
      if (lines % linesPerLook === 0) turnOver();
      times.note(fstatSync(file).size);
      writeSync(file, `${text}\n`);
    },
    place: () => fstatSync(file).size,
    tail: (from, requestId) => {
      const end = fstatSync(file).size;
      const start = Math.max(Math.min(from, end), end - logTailReadBytesMax);
      const buffer = Buffer.alloc(end - start);
      readSync(file, buffer, 0, buffer.length, start);
      return ownLines(buffer.toString(), requestId);
    },
    close: () => {
      times.close();
      closeSync(file);
    },
  };
}

const requestIds = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

/** Lines that name another request are of another process. */
function ownLines(text: string, requestId: string): string {
  const lines = text
    .split('\n')
    .filter((line) => (requestIds.exec(line)?.[0] ?? requestId) === requestId);
  return Buffer.from(lines.join('\n')).subarray(-logTailBytesMax).toString();
}
