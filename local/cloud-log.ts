/**
 * The local cloud's own log file: what the stand-ins have to say to a developer who looks for it.
 */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { logFileBytesMax } from './limits.ts';

export type Log = (line: string) => void;

export function openCloudLog(path: string): Log {
  mkdirSync(dirname(path), { recursive: true });
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > logFileBytesMax) renameSync(path, `${path}.1`);
  return (line) => appendFileSync(path, `${new Date().toISOString()} ${line}\n`);
}
