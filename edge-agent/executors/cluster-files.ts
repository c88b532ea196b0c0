import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shownChunk, shownChunks, shownJob } from '../../core/federation/chunk-offsets.ts';
import type { BatchRun } from '../../core/model/job.ts';
import { outputHeadBytesMax, outputTailBytesMax } from '../../core/model/limits.ts';
import type { DirectoryOwner } from '../chunk-directory/chunk-directories.ts';
import { makeDirectory, removeQuietly } from '../disk/data-directory.ts';
import { readFileEnds, readFileTail } from '../disk/text-tail.ts';
import { exitBytesMax } from '../limits.ts';
import type { Batch } from './cluster.ts';
import { inputName, outputName, type PrintedOutput, progressName } from './executor.ts';

/**
 * The executor's own files, on the file system that the edge shares with its nodes: scripts, which
 * chunks only read, and beside them what their user writes. Whatever lies there in the place of an
 * output, no link is followed.
 */
export function openClusterDirectory(directory: string, owner: DirectoryOwner | null): void {
  makeDirectory(join(directory, resultsName));
  if (owner === null) return;
  chmodSync(directory, 0o711);
  chownSync(join(directory, resultsName), owner.uid, owner.gid);
}

const resultsName = 'results';

export function outputPath(directory: string, token: string, index: string): string {
  return join(directory, resultsName, `${token}-${index}.out`);
}

/** Of a job that keeps standard error apart. */
export function errorsPath(directory: string, token: string, index: string): string {
  return join(directory, resultsName, `${token}-${index}.err`);
}

function exitPath(directory: string, token: string, index: string): string {
  return join(directory, resultsName, `${token}-${index}.exit`);
}

export function scriptPath(directory: string, token: string): string {
  return join(directory, `${token}.sh`);
}

/** Beginning and end of what one printed; these files and the exit file are removed. */
export function takeOutput(directory: string, batch: Batch, index: number): PrintedOutput {
  removeQuietly(exitPath(directory, batch.token, String(index)));
  const output = takeEnds(outputPath(directory, batch.token, String(index)));
  const errors = takeEnds(errorsPath(directory, batch.token, String(index)));
  return { ...(output ?? { output: null }), ...(errors !== null && { errors }) };
}

function takeEnds(path: string): PrintedOutput | null {
  const ends = readFileEnds(path, outputHeadBytesMax, outputTailBytesMax);
  removeQuietly(path);
  return ends;
}

/** What the script left, if the chunk came to its own end. */
export function readExit(directory: string, batch: Batch, index: number): number | null {
  const bytes = readFileTail(exitPath(directory, batch.token, String(index)), exitBytesMax);
  const text = bytes === null ? '' : Buffer.from(bytes).toString('utf8').trim();
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** One word of a shell script, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The script that every task of a batch runs: finds its chunk by its index, goes into its
 * directory, sets what a chunk sees, and leaves its exit code in a file, for schedulers that
 * forget it.
 */
export function writeScript(directory: string, batch: Batch, indexWord: string): string {
  const spec = batch.spec!;
  const body = Object.values(spec.run)[0] as BatchRun;
  const first = batch.chunks[0]!;
  const environment: Record<string, string> = {
    ...body.env,
    EDGEWISE_JOB: shownJob(spec, first.job),
    EDGEWISE_CHUNKS: String(shownChunks(spec)),
    EDGEWISE_ATTEMPT: String(first.attempt),
    EDGEWISE_EDGE: first.edge,
    EDGEWISE_POWER: String(batch.power),
  };
  const lines = ['#!/bin/sh', `index=${indexWord}`];
  lines.push(
    ...chosen(
      'EDGEWISE_CHUNK',
      batch.chunks.map(({ chunk }) => String(shownChunk(spec, chunk))),
    ),
  );
  lines.push(...chosen('EDGEWISE_DIR', batch.directories));
  lines.push(
    `EDGEWISE_INPUT=$EDGEWISE_DIR/${inputName} EDGEWISE_OUTPUT=$EDGEWISE_DIR/${outputName}`,
    `EDGEWISE_PROGRESS=$EDGEWISE_DIR/${progressName}; export EDGEWISE_PROGRESS`,
    'HOME=$EDGEWISE_DIR; export EDGEWISE_INPUT EDGEWISE_OUTPUT HOME',
    'cd "$EDGEWISE_DIR" || { echo "the nodes do not see it: --work-dir names a place"; exit 1; }',
  );
  for (const [key, value] of Object.entries(environment)) {
    lines.push(`${key}=${shellWord(value)}; export ${key}`);
  }
  if (typeof body.cwd === 'string') lines.push(`cd ${shellWord(body.cwd)} || exit 1`);
  lines.push(body.argv.map(shellWord).join(' '));
  const exit = shellWord(join(directory, resultsName, `${batch.token}-`));
  lines.push('code=$?', `echo $code > ${exit}"$index".exit`, 'exit $code', '');
  const path = scriptPath(directory, batch.token);
  // Who guesses its name may read it; nobody may list the names.
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
  return path;
}

/** One of a list, by the index of the task. */
function chosen(variable: string, values: readonly string[]): string[] {
  const words = values.map(shellWord).join(' ');
  return [`set -- ${words}`, 'shift "$index"', `${variable}=$1; export ${variable}`];
}

/** Of what a scheduler lists: one line each. */
export function linesIn(output: string): number {
  return output.split('\n').filter((line) => line.trim() !== '').length;
}
