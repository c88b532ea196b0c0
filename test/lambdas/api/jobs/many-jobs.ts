import { specKey, statusKey } from '../../../../adapters/dynamodb/keys.ts';
import type { Row, Table } from '../../../../adapters/dynamodb/table.ts';
import { type JobId, jobIdOf, makeJobId } from '../../../../core/model/names.ts';
import type { ApiAnswer, ApiStage } from '../api-stage.ts';

/**
 * Fills a table with jobs, as copies of one that was submitted, and walks lists of them page by
 * page.
 */
const firstMs = Date.UTC(2026, 0, 1);
const writesAtOnce = 32;

/**
 * Every third job is done, every fifth is in the queue `odd`; their ids are answered newest first.
 */
export async function plantJobs(api: ApiStage, table: Table, count: number): Promise<string[]> {
  const body = { power: 4, labels: { team: 'a' } };
  const model = jobIdOf((await api.request('POST', '/v1/jobs', { body })).json.id as string);
  const [spec, status] = await Promise.all([
    table.get(specKey(model)),
    table.get(statusKey(model)),
  ]);
  const ids = Array.from({ length: count }, (_, at) => idAt(at));
  for (let start = 0; start < count; start += writesAtOnce) {
    const batch = ids.slice(start, start + writesAtOnce);
    await Promise.all(batch.map((id, at) => plant(table, spec!, status!, id, start + at)));
  }
  return [model, ...ids.reverse()];
}

function idAt(at: number): JobId {
  return makeJobId(
    firstMs + at * 10,
    Uint8Array.from({ length: 9 }, (_, byte) => at * 7 + byte),
  );
}

async function plant(table: Table, spec: Row, status: Row, id: JobId, at: number): Promise<void> {
  const queue = at % 5 === 0 ? 'odd' : 'default';
  const state = at % 3 === 0 ? 'done' : 'pending';
  const shard = String(status.listPk).replace(/\d+$/, String(at % 4));
  const listed = { listPk: shard, listSk: id, queue, state };
  await table.put({ ...spec, ...specKey(id) });
  await table.put({ ...status, ...statusKey(id), ...listed });
}

export type Walk = {
  readonly ids: readonly string[];
  readonly pages: number;
  readonly largestPage: number;
};

export async function walk(api: ApiStage, path: string, limit: number): Promise<Walk> {
  const ids: string[] = [];
  let pages = 0;
  let largestPage = 0;
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const answer: ApiAnswer = await api.request('GET', `${path}limit=${limit}${more}`);
    if (answer.status !== 200) throw new Error(answer.text);
    ids.push(...answer.json.items.map((it: { id: string }) => it.id));
    largestPage = Math.max(largestPage, answer.json.items.length);
    cursor = answer.json.nextCursor;
    pages++;
  } while (cursor !== null);
  return { ids, pages, largestPage };
}
