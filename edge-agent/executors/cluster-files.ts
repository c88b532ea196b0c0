import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputTailBytesMax } from '../../core/model/limits.ts';
import { removeQuietly } from '../disk/data-directory.ts';
import type { Batch } from './cluster.ts';

/** Where a cluster's chunks write, on the file system that the edge shares with its nodes. */
export function outputPath(directory: string, token: string, index: string): string {
  return join(directory, `${token}-${index}.out`);
}

export function exitPath(directory: string, token: string, index: string): string {
  return join(directory, `${token}-${index}.exit`);
}

export function scriptPath(directory: string, token: string): string {
  return join(directory, `${token}.sh`);
}

/** The tail of one output file; it and the exit file are removed. */
export function takeOutput(directory: string, batch: Batch, index: number): Uint8Array | null {
  const path = outputPath(directory, batch.token, String(index));
  removeQuietly(exitPath(directory, batch.token, String(index)));
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, outputTailBytesMax));
    readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes;
  } finally {
    closeSync(fd);
    removeQuietly(path);
  }
}

/** What the script left, if the chunk came to its own end. */
export function readExit(directory: string, batch: Batch, index: number): number | null {
  try {
    const text = readFileSync(exitPath(directory, batch.token, String(index)), 'utf8').trim();
    return /^\d+$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}

/** One word of a shell script, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The script that every task of a batch runs: finds its chunk by its index, sets what a chunk
 * sees, and leaves its exit code in a file, for schedulers that forget it.
 */
export function writeScript(directory: string, batch: Batch, indexVariable: string): string {
  const spec = batch.spec!;
  const body = Object.values(spec.run)[0] as {
    argv: readonly string[];
    env?: Record<string, string>;
  };
  const first = batch.chunks[0]!;
  const numbers = batch.chunks.map(({ chunk }) => chunk).join(' ');
  const environment: Record<string, string> = {
    ...body.env,
    EDGEWISE_JOB: first.job,
    EDGEWISE_CHUNKS: String(spec.chunks),
    EDGEWISE_ATTEMPT: String(first.attempt),
    EDGEWISE_EDGE: first.edge,
    EDGEWISE_POWER: String(batch.power),
  };
  const lines = ['#!/bin/sh', `index=$${indexVariable}`, `set -- ${numbers}`, 'shift "$index"'];
  lines.push('EDGEWISE_CHUNK=$1; export EDGEWISE_CHUNK');
  for (const [key, value] of Object.entries(environment)) {
    lines.push(`${key}=${shellWord(value)}; export ${key}`);
  }
  lines.push(body.argv.map(shellWord).join(' '));
  const exit = shellWord(join(directory, `${batch.token}-`));
  lines.push('code=$?', `echo $code > ${exit}"$index".exit`, 'exit $code', '');
  const path = scriptPath(directory, batch.token);
  writeFileSync(path, lines.join('\n'), { mode: 0o700 });
  return path;
}
