import type { EdgeName } from '../../../core/model/names.ts';
import type { ShadowMessage } from '../../../local/services/iot/shadow/service.ts';
import { type EdgeWorld, type HttpsCalls, SimulatedEdge } from './simulated-edge.ts';

type FleetWorld = Omit<EdgeWorld, 'newBoot'>;

/**
 * The hosts of a fleet: one for each edge, and now and then a second one that somebody made from a
 * copy of its disk. Both are the same edge to everybody else: of their connections the broker keeps
 * the later one.
 */
export class Hosts {
  readonly edges = new Map<EdgeName, SimulatedEdge>();
  readonly #world: FleetWorld;
  readonly #https = new Map<EdgeName, HttpsCalls>();
  readonly #copies = new Map<EdgeName, SimulatedEdge>();
  readonly #connected = new Map<EdgeName, SimulatedEdge>();

  #boots = 0;

  constructor(world: FleetWorld) {
    this.#world = world;
  }

  add(name: EdgeName, power: number, https: HttpsCalls | null): SimulatedEdge {
    if (https !== null) this.#https.set(name, https);
    const host = this.#make(name, power);
    this.edges.set(name, host);
    return host;
  }

  /** Starts a second host with what the disk of the first one holds at this moment. */
  copy(name: EdgeName): void {
    const original = this.edges.get(name)!;
    if (this.#copies.has(name) || !original.isAlive) return;
    const copy = this.#make(name, original.power);
    copy.disk.copyFrom(original.disk);
    this.#copies.set(name, copy);
    copy.boot();
  }

  /** Somebody stops the copy, and starts it no more. */
  stopCopy(name: EdgeName): void {
    this.#copies.get(name)?.die(true);
    this.#copies.delete(name);
  }

  hear(name: EdgeName, message: ShadowMessage): void {
    (this.#connected.get(name) ?? this.edges.get(name))?.hear(message);
  }

  disconnect(name: EdgeName): void {
    for (const host of [this.edges.get(name), this.#copies.get(name)]) host?.disconnect();
  }

  #make(name: EdgeName, power: number): SimulatedEdge {
    const world: EdgeWorld = {
      ...this.#world,
      admit: () => this.#admit(name, host),
      newBoot: () => `${name}-${++this.#boots}`,
    };
    const host = new SimulatedEdge(name, power, world, this.#https.get(name) ?? null);
    return host;
  }

  #admit(name: EdgeName, host: SimulatedEdge): boolean {
    if (!this.#world.admit(name)) return false;
    const before = this.#connected.get(name);
    this.#connected.set(name, host);
    if (before !== undefined && before !== host) before.disconnect();
    return true;
  }
}
