import type { ResultFile } from '../../../core/contract/files/result-body.ts';
import {
  filePathBytesMax,
  resultListBytesPerPageMax,
  resultListsAtOnce,
  resultListsPerPageMax,
} from '../../../core/files/limits.ts';
import { resultSpaceOf } from '../../../core/files/result-space.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { badQuery, type Call, checkQuery, jobOfPath } from '../http/call.ts';
import { type Paging, readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { chunkOf, numbersMaxOf } from '../jobs/view/chunk-number.ts';
import { visibleJob } from '../jobs/view/visible-job.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { type ChunkFile, filesOfChunk, type ListedChunk } from './chunk-files.ts';

/** A chunk, and how many of its files came before. */
const list = { name: 'results', position: /^\d{1,9}\/\d{1,6}$/ };

type Asked = {
  readonly chunk: string | null;
  readonly prefix: string;
  readonly paging: Paging;
};

/** `GET /v1/jobs/{id}/files?chunk=&prefix=`: what chunks left, by chunk and path. */
export const listResults = defineOperation({
  name: 'listResults',
  read: (call) => {
    checkQuery(call, ['chunk', 'prefix', 'limit', 'cursor']);
    const { chunk = null } = call.query;
    return { id: jobOfPath(call), chunk, prefix: prefixOf(call), paging: readPaging(call, list) };
  },
  run: async ({ id, ...asked }, { caller, nowMs }, deps: Pick<Ports, 'jobs' | 'results'>) => {
    const { job } = await visibleJob(id, caller, deps);
    const { found, next } = await collect(job, asked, deps);
    const space = resultSpaceOf(job);
    const items = found.map(({ at: _at, ...file }): ResultFile => {
      if (file.sha256 === undefined) return file;
      return { ...file, url: deps.results.downloadAddress(space, file.sha256, nowMs).url };
    });
    const at = new Map(items.map((item, index) => [item, found[index]!]));
    return pageOf(asked.paging, items, (item) => positionBehind(at.get(item)!), next);
  },
  answer: pageAnswer,
});

function prefixOf(call: Call): string {
  const { prefix = '' } = call.query;
  if (prefix.length <= filePathBytesMax) return prefix;
  throw badQuery('prefix', `This has at most ${filePathBytesMax} characters.`);
}

const positionBehind = ({ chunk, at }: ChunkFile): string => `${chunk}/${at + 1}`;

type Collected = { readonly found: readonly ChunkFile[]; readonly next: string | null };

async function collect(
  job: StoredJob,
  { chunk: named, prefix, paging }: Asked,
  deps: Pick<Ports, 'jobs' | 'results'>,
): Promise<Collected> {
  const found: ChunkFile[] = [];
  const [fromChunk = 0, skipped = 0] = (paging.position ?? '0/0').split('/').map(Number);
  const single = named === null ? null : chunkOf(named, numbersMaxOf(job));
  let after = fromChunk - 1;
  let [lists, bytes] = [0, 0];
  while (lists < resultListsPerPageMax && bytes < resultListBytesPerPageMax) {
    const page =
      single === null
        ? await deps.jobs.results(job.id, after < 0 ? null : after, resultListsAtOnce)
        : await oneChunk(job, single, deps);
    const space = resultSpaceOf(job);
    const read = await Promise.all(
      page.items.map((item) => filesOfChunk(item, space, deps.results)),
    );
    for (const file of read.flat()) {
      const isBefore = file.chunk === fromChunk && file.at < skipped;
      if (isBefore || !file.path.startsWith(prefix)) continue;
      if (found.length === paging.limit) return { found, next: positionBehind(found.at(-1)!) };
      found.push(file);
      bytes += file.path.length;
    }
    lists += page.items.length + 1;
    if (page.next === null) return { found, next: null };
    after = page.next;
  }
  return { found, next: `${after + 1}/0` };
}

async function oneChunk({ id }: StoredJob, chunk: number, { jobs }: Pick<Ports, 'jobs'>) {
  const result = (await jobs.chunk(id, chunk))?.result;
  const items: ListedChunk[] = result === undefined ? [] : [{ chunk, result }];
  return { items, next: null };
}
