import { expect, test } from 'vitest';
import { shadowBytesMax } from '../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../core/model/ranges.ts';
import { encodeWork, parseWork, type WorkEntry } from '../../core/protocol/work.ts';
import type { ServicesContract } from './services.ts';

let made = 0;
const freshEdge = () => edgeNameOf(`shadow-edge-${++made}`);

function entry(over: Partial<WorkEntry> = {}): WorkEntry {
  const held = {
    ranges: rangeOf(0, 4),
    release: emptyRanges,
    attempts: new Map(),
    inlineSpec: null,
  };
  return { ...held, slots: 2, chunkPower: 100, specHash: 'hash', ...over };
}

const one = jobIdOf('job-1');
const two = jobIdOf('job-2');

/** What every service of shadows promises. */
export const shadowsContract: ServicesContract = (services) => {
  test('an edge that was never sent anything has no document', async () => {
    expect(await services().shadows.readWork(freshEdge())).toBeNull();
  });

  test('a document is read as it was written, and belongs to its edge', async () => {
    const { work, shadows } = services();
    const [edge, other] = [freshEdge(), freshEdge()];
    const document = encodeWork(
      { epoch: 7, acknowledgedSequence: 3, jobs: new Map([[one, entry()]]) },
      [],
    );
    for (let time = 1; time <= 2; time++) await work.write(edge, document);
    expect(await shadows.readWork(edge)).toEqual(withoutNulls(document));
    expect(await shadows.readWork(other)).toBeNull();
  });

  test('jobs that the next document names as gone are gone', async () => {
    const { work, shadows } = services();
    const edge = freshEdge();
    const jobs = new Map([one, two].map((job) => [job, entry()]));
    await work.write(edge, encodeWork({ epoch: 1, acknowledgedSequence: null, jobs }, []));
    const rest = { epoch: 2, acknowledgedSequence: 1, jobs: new Map([[two, entry({ slots: 1 })]]) };
    await work.write(edge, encodeWork(rest, [one]));
    const parsed = parseWork(await shadows.readWork(edge));
    expect([parsed?.epoch, [...parsed!.jobs.keys()]]).toEqual([2, [two]]);
    expect(parsed?.jobs.get(two)?.slots).toBe(1);
  });

  test('a wish lies beside the work, and outlives it', async () => {
    const { work, shadows, liveShadows } = services();
    const edge = freshEdge();
    await liveShadows.wish(edge, 'job-1:0:1');
    expect(await shadows.readWork(edge)).toEqual({ l: 'job-1:0:1' });
    const document = encodeWork({ epoch: 3, acknowledgedSequence: 1, jobs: new Map() }, []);
    await work.write(edge, document);
    await liveShadows.wish(edge, 'job-1:7:2');
    expect(await shadows.readWork(edge)).toEqual({ ...document, l: 'job-1:7:2' });
  });

  test('a document that is too large changes nothing', async () => {
    const { work, shadows } = services();
    const edge = freshEdge();
    const small = encodeWork({ epoch: 1, acknowledgedSequence: null, jobs: new Map() }, []);
    await work.write(edge, small);
    const specHash = 'x'.repeat(shadowBytesMax);
    const jobs = new Map([[one, entry({ specHash })]]);
    await expect(
      work.write(edge, encodeWork({ epoch: 2, acknowledgedSequence: null, jobs }, [])),
    ).rejects.toThrow();
    expect(await shadows.readWork(edge)).toEqual(withoutNulls(small));
  });
};

/** A shadow keeps no member that is null. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) => (member === null ? undefined : member));
}
