import { expect, test } from 'vitest';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { plainConfig } from '../core/cell-fixture.ts';
import { commit, enrol, makeCreation, north, south, submit } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const name = edgeNameOf('edge-1');
const cordoned = { ...plainConfig, cordoned: { reason: 'repair', sinceMs: 5 } };

/** What every store promises of edges in their cells, and of what their users set. */
export const edgeSettingsContract: Contract = (makeStores) => {
  test('what a user set is what passes and users read, with the next version', async () => {
    const stores = await makeStores();
    await enrol(stores, name);
    expect(await stores.edges.configure(north, name, cordoned, 1)).toBe(true);
    expect(await stores.edges.load(north, name)).toMatchObject({ config: cordoned, version: 2 });
    expect((await stores.cells.load(north))?.edges.get(name)?.config).toEqual(cordoned);
  });

  test('of two that saw the same settings one sets them', async () => {
    const stores = await makeStores();
    await enrol(stores, name);
    const drained = { ...plainConfig, drain: { reason: 'move', deadlineAtMs: null } };
    const outcomes = await Promise.all(
      [cordoned, drained].map((config) => stores.edges.configure(north, name, config, 1)),
    );
    expect(outcomes.toSorted()).toEqual([false, true]);
    const winner = outcomes[0] === true ? cordoned : drained;
    expect(await stores.edges.load(north, name)).toMatchObject({ config: winner, version: 2 });
  });

  test('an edge that is not in the cell has no settings there', async () => {
    const stores = await makeStores();
    await enrol(stores, name);
    expect(await stores.edges.configure(south, name, cordoned, 1)).toBe(false);
    expect(await stores.edges.load(south, name)).toBeNull();
  });

  test('settings are given up for others only where the edge is', async () => {
    const stores = await makeStores();
    await enrol(stores, name);
    await stores.edges.configure(north, name, plainConfig, 1);
    expect(await stores.edges.replaceSettings(north, name, cordoned)).toBe(true);
    expect(await stores.edges.load(north, name)).toMatchObject({ config: cordoned, version: 1 });
    expect(await stores.edges.replaceSettings(south, name, cordoned)).toBe(false);
    expect(await stores.edges.load(south, name)).toBeNull();
  });

  test('the edges of a cell come by name, page by page', async () => {
    const stores = await makeStores();
    for (const it of ['edge-3', 'edge-10', 'edge-1']) await enrol(stores, it);
    const names = async (after: string | null, limit: number) =>
      (await stores.edges.listCell(north, after, limit)).map((edge) => edge.name);
    expect(await names(null, 2)).toEqual(['edge-1', 'edge-10']);
    expect(await names('edge-10', 2)).toEqual(['edge-3']);
    expect(await names('edge-2', 9)).toEqual(['edge-3']);
    expect(await stores.edges.listCell(south, null, 9)).toEqual([]);
    const [first] = await stores.edges.listCell(north, null, 1);
    expect(first).toEqual(await stores.edges.load(north, name));
  });

  test('what is asked of a cell is known until the job has ended there', async () => {
    const stores = await makeStores();
    const job = jobIdOf('job-1');
    await submit(stores, job);
    const { intent } = makeCreation(job).intents.get(north)!;
    const both = [job, jobIdOf('job-2')];
    expect([...(await stores.edges.intents(north, both))]).toEqual([[job, intent]]);
    await commit(stores, north, { endedJobs: new Set([job]) });
    expect((await stores.edges.intents(north, both)).size).toBe(0);
  });
};
