import type { EdgeName } from '../../core/model/names.ts';
import type { Faults } from './faults.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Timeline } from './timeline.ts';

/**
 * The network between edges and the broker: it loses, repeats, delays and reorders, and the broker
 * tells of connections as it notices them.
 */
export type NetworkWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  readonly note: (line: string) => void;
  /** What the broker publishes of the connections of an edge. */
  readonly presence: (message: object) => void;
  /** The edge notices that its connection is gone. */
  readonly disconnect: (edge: EdgeName) => void;
};

type Cable = { isUp: boolean; connection: number; isKnown: boolean };

export class SimulatedNetwork {
  readonly #world: NetworkWorld;
  readonly #cables = new Map<EdgeName, Cable>();

  constructor(world: NetworkWorld) {
    this.#world = world;
  }

  add(edge: EdgeName): void {
    this.#cables.set(edge, { isUp: true, connection: 0, isKnown: false });
  }

  isUp(edge: EdgeName): boolean {
    return this.#cables.get(edge)!.isUp;
  }

  isConnected(edge: EdgeName): boolean {
    return this.#cables.get(edge)!.isKnown;
  }

  set(edge: EdgeName, isUp: boolean): void {
    const cable = this.#cables.get(edge)!;
    if (cable.isUp === isUp) return;
    cable.isUp = isUp;
    this.#world.note(`link ${edge} ${isUp ? 'up' : 'down'}`);
    if (!isUp) this.vanish(edge);
  }

  carry(edge: EdgeName, way: 'up' | 'down', deliver: () => void): void {
    const { random, timeline, faults } = this.#world;
    const cable = this.#cables.get(edge)!;
    const copies = random.chance(faults().duplicateMessage) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (random.chance(faults().dropMessage)) continue;
      const delayMs = random.between(1, faults().delayMsMax);
      const { connection } = cable;
      timeline.after(delayMs, `${edge} ${way}`, () => {
        // A message to a session that is over is gone; one to the broker may still arrive.
        const arrives = way === 'up' || (cable.isUp && cable.connection === connection);
        if (arrives) deliver();
      });
    }
  }

  /** Whether the broker lets this edge in now. */
  admit(edge: EdgeName): boolean {
    const cable = this.#cables.get(edge)!;
    if (!cable.isUp) return false;
    cable.connection += 1;
    cable.isKnown = true;
    this.#presence(edge, 'connected', cable.connection);
    return true;
  }

  /** The broker notices at once, or only when the keep-alive runs out. */
  vanish(edge: EdgeName): void {
    const { random, timeline, disconnect } = this.#world;
    const cable = this.#cables.get(edge)!;
    disconnect(edge);
    if (!cable.isKnown) return;
    cable.isKnown = false;
    const { connection } = cable;
    const noticedMs = random.chance(0.5) ? 5 : random.between(1_000, 45_000);
    timeline.after(noticedMs, `${edge} noticed`, () => {
      this.#presence(edge, 'disconnected', connection);
    });
  }

  #presence(edge: EdgeName, kind: 'connected' | 'disconnected', version: number): void {
    this.#world.presence({ kind, edge, at: this.#world.timeline.nowMs, version });
  }
}
