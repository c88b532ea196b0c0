import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKnownCells } from '../../../../adapters/dynamodb/fleet/cell-store.ts';
import { createTable, type Table } from '../../../../adapters/dynamodb/table.ts';
import type { Cell } from '../../../../core/model/cell.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../../../core/model/ranges.ts';
import { applyPlan } from '../../../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../../../core/scheduler/reconcile.ts';
import { startDatabase, type TestDatabase } from '../../../contract/database.ts';
import { makeCell, makeEdge, makeJob, startMs, withProgress } from '../../../core/cell-fixture.ts';
import { seedCell } from '../seed-cell.ts';

const id = cellIdOf('default.0');
const first = jobIdOf('job-0');
/** Enough for two pages of a query, of 1 MB each. */
const waitingJobs = 300;
const longLabel = 'x'.repeat(4_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

describe('of a job that ends while a deep cell is read nothing is begun again', () => {
  test('by whoever did not know how deep it is', async () => {
    const { running, own, meanwhile, cells } = await deepStage();
    meanwhile(async () => {
      expect(await own.commit(reconcile(running, startMs + 2_000))).toBe('committed');
    });
    expect((await cells.load(id))?.jobs.has(first)).toBe(false);
  });

  test('by whoever did', async () => {
    const { running, own, meanwhile, cells } = await deepStage();
    await cells.load(id);
    meanwhile(async () => {
      expect(await own.commit(reconcile(running, startMs + 2_000))).toBe('committed');
    });
    const torn = (await cells.load(id))!;
    expect(torn.jobs.has(first), 'it was on the first page').toBe(true);
    expect(await own.commit(reconcile(torn, startMs + 2_001))).toBe('conflict');
    expect((await cells.load(id))?.jobs.has(first)).toBe(false);
  });
});

test('a deep cell is read whole, and once it is known to be deep no page in vain', async () => {
  const { running, pages, cells } = await deepStage();
  const jobs = [...running.jobs.keys()].toSorted();
  for (const read of [3, 2, 2]) {
    const before = pages();
    expect([...(await cells.load(id))!.jobs.keys()].toSorted()).toEqual(jobs);
    expect(pages() - before).toBe(read);
  }
});

/** A deep cell, and stores that meet a table in which something happens between two pages. */
async function deepStage() {
  const stored = await database.makeTable('official');
  const running = await deepCell(stored);
  const { table, meanwhile, pages } = betweenPages(stored.name);
  return {
    running,
    own: createKnownCells(stored),
    meanwhile,
    pages,
    cells: createKnownCells(table),
  };
}

/** One job that an edge has done, and many that wait for an edge that is not there. */
async function deepCell(table: Table): Promise<Cell> {
  const requires = { labels: { site: longLabel }, expressions: [], edges: [] };
  const waiting = Array.from({ length: waitingJobs }, (_, at) =>
    makeJob(`job-${at + 1}`, { chunks: 1, requires }),
  );
  const jobs = [makeJob(first, { chunks: 1, priority: 90 }), ...waiting];
  const seeded = makeCell({ edges: [makeEdge('edge-0')], jobs });
  await seedCell(table, seeded);
  const plan = reconcile(seeded, startMs);
  expect(await createKnownCells(table).commit(plan)).toBe('committed');
  const placed = applyPlan(seeded, plan);
  const { epoch } = placed.edges.get(edgeNameOf('edge-0'))!.work!;
  return withProgress(placed, 'edge-0', {
    boot: 'b',
    epoch,
    sequence: 1,
    freePower: 0,
    jobs: new Map([
      [
        first,
        {
          done: rangeOf(0, 1),
          failed: new Map(),
          running: emptyRanges,
          attempts: new Map(),
          chunkMs: 1,
          refused: null,
        },
      ],
    ]),
  });
}

/** What is given to `meanwhile` happens once, behind the first page that is not the last. */
function betweenPages(name: string) {
  let pages = 0;
  let happens: (() => Promise<void>) | null = null;
  const send = async (command: Parameters<typeof database.client.send>[0]) => {
    const answer = await database.client.send(command);
    if (!(command instanceof QueryCommand)) return answer;
    pages++;
    if (happens !== null && 'LastEvaluatedKey' in answer && answer.LastEvaluatedKey !== undefined) {
      const happening = happens();
      happens = null;
      await happening;
    }
    return answer;
  };
  const client = { ...database.client, send } as typeof database.client;
  return {
    table: createTable({ client, name }),
    meanwhile: (what: () => Promise<void>) => {
      happens = what;
    },
    pages: () => pages,
  };
}
