import { heldText } from '../../core/files/held-files.ts';
import type { CellEdge, CellJob } from '../../core/model/cell.ts';
import { cellIdOf, type EdgeName } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { Figures } from '../run.ts';
import { edgeOf, jobOf, openCell } from './measured-cell.ts';

/**
 * Ten jobs over one data set, one after another, while other jobs have a changing number of the
 * edges: what is fetched when edges say which inputs they have, and when they do not. Others that
 * were placed by the same rule have the edges that come first; those that were not have any half,
 * and then the first free ones are mostly the same, so that there is little to be saved. An edge
 * fetches the data with its first chunk of them and has it from then on.
 */
const edgesCount = 40;
const jobsCount = 10;
const chunks = 8;
const power = 100;
const dataGb = 10;
const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export function measureHeldInputs(): readonly Figures[] {
  const none = jobsCount * chunks * dataGb;
  return (['the first edges', 'any half'] as const).map((busy) => {
    const [unknown, known] = [fetchedGb(busy, false), fetchedGb(busy, true)];
    const figure = `GB fetched by ten jobs over 10 GB, others have ${busy}`;
    return { figure, withoutCaches: none, unknown, known, saved: unknown - known };
  });
}

function fetchedGb(busy: 'the first edges' | 'any half', areKnown: boolean): number {
  const holders = new Set<EdgeName>();
  let fetches = 0;
  let state = 12_345;
  const draw = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  for (let job = 0; job < jobsCount; job++) {
    const edges = Array.from({ length: edgesCount }, (_, at) => edgeWith(at, holders, areKnown));
    // Of the same seed: both runs see the same edges busy.
    const first = Math.floor(draw() * (edgesCount - chunks));
    const free = busy === 'any half' ? edges.filter(() => draw() < 0.5) : edges.slice(first);
    const plan = reconcile(openCell(cellIdOf('default.0'), free, [jobWith(job)]), 0);
    const given = [...plan.works].filter(([, { leases }]) => leases.size > 0);
    if (given.length !== chunks) throw new Error(`${given.length} edges got chunks`);
    for (const [name] of given) {
      if (!holders.has(name)) fetches += 1;
      holders.add(name);
    }
  }
  return fetches * dataGb;
}

function edgeWith(at: number, holders: ReadonlySet<EdgeName>, isKnown: boolean): CellEdge {
  const edge = edgeOf(at, power);
  const cached = isKnown && holders.has(edge.name) ? { cached: heldText([digest]) } : {};
  return { ...edge, facts: { ...edge.facts!, flat: { cacheBytes: 1e12, ...cached } } };
}

function jobWith(at: number): CellJob {
  const size = { chunks, chunkPower: power, ranges: rangeOf(0, chunks) };
  const job = jobOf(at, { queue: 'default', run: { simulate: { seconds: 1 } }, ...size });
  const spec = { ...job.intent.spec, inputs: [{ path: 'data', manifest: digest }] };
  return { ...job, intent: { ...job.intent, spec } };
}
