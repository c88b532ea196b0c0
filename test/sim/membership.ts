import type { Cell, CellEdge, EdgeConfig } from '../../core/model/cell.ts';
import { type CellId, type EdgeName, edgeNameOf } from '../../core/model/names.ts';
import type { ClustersStore } from '../../core/ports/clusters.ts';
import type { EdgeIdentity, EdgesStore } from '../../core/ports/edges.ts';
import { continueRemoval } from '../../lambdas/workers/edge-removal/continue-removal.ts';
import { makeIdentity } from '../contract/stored-fixture.ts';
import type { Bug } from './bugs/bugs.ts';
import { must } from './checks/truth.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Timeline } from './timeline.ts';

export type MembershipWorld = {
  readonly random: SeededRandom;
  readonly timeline: Timeline;
  readonly edges: EdgesStore;
  readonly clusters: ClustersStore;
  readonly note: (line: string) => void;
  readonly fail: (error: unknown) => void;
  readonly addEdge: (cell: CellId, name: EdgeName, power: number) => Promise<void>;
  readonly configure: (name: EdgeName, change: Partial<EdgeConfig>) => void;
  readonly kill: (edge: EdgeName) => void;
};

/**
 * Edges that come and go while jobs run: some enrol late, some are removed, gently or by force.
 * What a removed edge held goes elsewhere, and its name is free in the end.
 */
export class Membership {
  readonly #world: MembershipWorld;
  readonly #leaving = new Set<EdgeName>();
  /** Edges that jobs ask for by name stay. */
  readonly #wanted = new Set<EdgeName>();
  #enrolled = 0;

  constructor(world: MembershipWorld) {
    this.#world = world;
  }

  want(edge: EdgeName): void {
    this.#wanted.add(edge);
  }

  isLeaving(edge: EdgeName): boolean {
    return this.#leaving.has(edge);
  }

  staying(edges: Iterable<EdgeName>): EdgeName[] {
    return [...edges].filter((edge) => !this.#leaving.has(edge));
  }

  /** Of these those that stay and that no job asks for by name. */
  unwanted(edges: Iterable<EdgeName>): EdgeName[] {
    return this.staying(edges).filter((edge) => !this.#wanted.has(edge));
  }

  enrol(cell: Cell): void {
    const { random } = this.#world;
    const name = edgeNameOf(`late-${++this.#enrolled}`);
    const enrolling = this.#world.addEdge(cell.meta.id, name, random.pick([100, 250]));
    enrolling.catch((error) => this.#world.fail(error));
  }

  remove(cell: Cell): void {
    const staying = this.staying(cell.edges.keys());
    const spare = this.unwanted(staying);
    if (spare.length === 0 || staying.length < 3) return;
    const edge = this.#world.random.pick(spare);
    this.#leaving.add(edge);
    const force = this.#world.random.chance(0.5);
    this.#world.note(`${edge} is removed${force ? ' by force' : ''}`);
    this.#remove(edge, force).catch((error) => this.#world.fail(error));
  }

  /** Everybody who was asked to go is gone, and the name with them. */
  async checkEnd(): Promise<void> {
    for (const edge of this.#leaving) {
      const identity = await this.#world.edges.identify(edge);
      must(identity === null, () => `${edge} was removed long ago and is still there`);
    }
  }

  async #remove(edge: EdgeName, force: boolean): Promise<void> {
    const { edges, timeline } = this.#world;
    const reason = { reason: 'removed', sinceMs: timeline.nowMs };
    this.#world.configure(edge, { cordoned: reason, removing: { force } });
    const identity = (await edges.identify(edge))!;
    await edges.markRemoving(identity, timeline.nowMs);
    if (force) this.#world.kill(edge);
    this.#look(edge, 0, 1);
  }

  #look(edge: EdgeName, tries: number, delaySeconds: number): void {
    const { edges, clusters, timeline } = this.#world;
    const deps = {
      edges,
      clusters,
      graphs: { removeAll: async () => {} },
      iot: { remove: async () => this.#world.kill(edge), discard: async () => {} },
      removals: {
        lookAt: async (name: EdgeName, next: number, seconds: number) =>
          this.#look(name, next, seconds),
      },
    };
    timeline.after(delaySeconds * 1_000, 'removal', () => {
      const all = deps as unknown as Parameters<typeof continueRemoval>[0];
      return continueRemoval(all, { edge, tries }, timeline.nowMs);
    });
  }
}

/** Without a secret: nobody has to be let in here. */
export function newIdentity(edge: EdgeName, cell: CellId, nowMs: number): EdgeIdentity {
  return makeIdentity(edge, { cell, credentials: [], enrolledAtMs: nowMs });
}

export const membershipBugs: readonly Bug[] = [
  {
    name: 'nobody-lets-go',
    sentence: 'a pass does not see that an edge is to be removed',
    load: (cell) => ({ ...cell, edges: new Map([...cell.edges].map(staying)) }),
  },
];

function staying([name, edge]: [EdgeName, CellEdge]): [EdgeName, CellEdge] {
  return [name, { ...edge, config: { ...edge.config, removing: null } }];
}
