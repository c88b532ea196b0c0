/**
 * The local cloud's own log file: what the stand-ins have to say to a developer who looks for it.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { appendLine } from './log-file.ts';

export type Log = (line: string) => void;

export function openCloudLog(path: string): Log {
  mkdirSync(dirname(path), { recursive: true });
  return (line) => appendLine(path, `${new Date().toISOString()} ${line}`);
}
