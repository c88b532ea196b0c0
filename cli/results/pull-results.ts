import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ResultFile } from '../../core/contract/files/result-body.ts';
import type { Page } from '../../core/contract/resources.ts';
import { pathProblem, staysBelow } from '../../core/files/file-path.ts';
import type { Api } from '../client/api.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { sizeOf } from '../files/upload-files.ts';
import { jobPath } from '../job/input/job-reference.ts';
import { downloadsAtOnce, pageLimitMax } from '../limits.ts';
import { progressBar } from '../output/progress-bar.ts';
import type { Terminal } from '../terminal.ts';
import { downloadFile } from './download-file.ts';

/**
 * Brings what the chunks of a job left to a directory here, `<chunk>/<path>`, several files at once
 * and straight from the store. What is here already is not sent again.
 */
export type Pulled = {
  readonly job: string;
  readonly directory: string;
  readonly files: number;
  readonly fetched: number;
  readonly bytes: number;
};

export async function pullResults(
  api: Api,
  terminal: Terminal,
  id: string,
  asked: { readonly chunk: number | undefined; readonly to: string | undefined },
): Promise<Pulled> {
  const directory = resolve(terminal.directory, asked.to ?? id);
  const bar = progressBar(terminal);
  const sums = { files: 0, fetched: 0, bytes: 0 };
  const links: ResultFile[] = [];
  const draw = (): void => bar.draw(0, `${sums.fetched} files, ${sizeOf(sums.bytes)} fetched`);
  const moved = (bytes: number): void => {
    sums.bytes += bytes;
    draw();
  };
  try {
    for (let cursor: string | null = null; ; ) {
      const query = { chunk: asked.chunk, limit: pageLimitMax, cursor: cursor ?? undefined };
      const page: Page<ResultFile> = await api.get(jobPath(id, '/files'), query);
      sums.files += page.items.length;
      await inLanes(page.items, async (file) => {
        if (file.link !== undefined) links.push(file);
        else if (await fetchOne(terminal, directory, file, moved)) sums.fetched += 1;
      });
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    // Last, so that nothing is written through one.
    for (const link of links) await makeLink(directory, link);
  } finally {
    bar.clear();
  }
  return { job: id, directory, ...sums };
}

export function sayPulled(terminal: Terminal, { files, fetched, bytes, directory }: Pulled): void {
  const count = files === 1 ? '1 file' : `${files} files`;
  if (files === 0) terminal.say('  no files: none of its chunks has left any');
  else if (fetched === 0) terminal.say(`  ${count}: all here already, in ${directory}`);
  else terminal.say(`  fetched ${fetched} of ${count}, ${sizeOf(bytes)}, to ${directory}`);
}

async function fetchOne(
  terminal: Terminal,
  directory: string,
  file: ResultFile,
  moved: (bytes: number) => void,
): Promise<boolean> {
  const { url, sha256, bytes = 0, executable = false } = file;
  if (url === undefined || sha256 === undefined) throw badPath(file, 'has no address');
  const target = await place(directory, file);
  return downloadFile(terminal, { url, sha256, bytes, target, executable }, moved);
}

async function makeLink(directory: string, file: ResultFile): Promise<void> {
  const { path, link = '' } = file;
  if (!staysBelow(path, link)) throw badPath(file, 'is a link that leads out');
  const target = await place(directory, file);
  await rm(target, { force: true });
  await symlink(link, target);
}

/** Where it lies here, its directory being there; nothing is written through a link. */
async function place(directory: string, file: ResultFile): Promise<string> {
  const { chunk, path } = file;
  const problem = pathProblem(path);
  if (problem !== null) throw badPath(file, problem);
  const root = join(directory, String(chunk));
  const target = join(root, path);
  await mkdir(dirname(target), { recursive: true });
  for (let at = dirname(target); at.length > root.length; at = dirname(at)) {
    if ((await lstat(at)).isSymbolicLink()) throw badPath(file, 'lies behind a link here');
  }
  return target;
}

function badPath({ chunk, path }: ResultFile, problem: string): Failure {
  const shown = JSON.stringify(path);
  return new Failure(exitCode.failure, `A file of chunk ${chunk}, ${shown}, ${problem}.`);
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: downloadsAtOnce }, lane));
}
