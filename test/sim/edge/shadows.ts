import type { EdgeName } from '../../../core/model/names.ts';
import type { WorkJson } from '../../../core/protocol/work.ts';
import type { JsonObject } from '../../../local/services/iot/json.ts';
import {
  apply,
  type ShadowMessage,
  type StoredShadow,
} from '../../../local/services/iot/shadow/service.ts';
import type { Faults } from '../faults.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Timeline } from '../timeline.ts';

/**
 * The Device Shadow service: the same pure function that the local cloud runs. It answers, tells
 * whoever is connected, and feeds the rule on accepted reports.
 */
export type ShadowsWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  /** To the edge, if it is connected: the network decides whether it arrives. */
  readonly tell: (edge: EdgeName, message: ShadowMessage) => void;
  readonly rule: (message: unknown) => void;
};

export class SimulatedShadows {
  readonly #world: ShadowsWorld;
  readonly #stored = new Map<string, StoredShadow>();

  constructor(world: ShadowsWorld) {
    this.#world = world;
  }

  /** The cloud's own write; answers the HTTP code. */
  writeWork(edge: EdgeName, work: WorkJson): number {
    if (this.#world.random.chance(this.#world.faults().refuseShadow)) {
      return this.#world.random.pick([409, 413, 429, 500, 503]);
    }
    return this.#request(edge, 'work', 'update', { state: { desired: work } }, 'http');
  }

  /** For those that have no MQTT. */
  readWork(edge: EdgeName): Readonly<Record<string, unknown>> | null {
    const stored = this.#stored.get(`${edge}/work`);
    const payload = new TextEncoder().encode('');
    const request = {
      operation: 'get',
      thing: edge,
      name: 'work',
      payload,
      source: 'http',
    } as const;
    const { code, body } = apply(this.#world.timeline.nowMs, stored, request).response;
    return code === 200 ? ((body.state as JsonObject).desired as JsonObject) : null;
  }

  getWork(edge: EdgeName): void {
    this.#request(edge, 'work', 'get', null, 'mqtt');
  }

  updateProg(edge: EdgeName, body: unknown): void {
    this.#request(edge, 'prog', 'update', body, 'mqtt');
  }

  #request(
    edge: EdgeName,
    name: 'work' | 'prog',
    operation: 'get' | 'update',
    body: unknown,
    source: 'mqtt' | 'http',
  ): number {
    const key = `${edge}/${name}`;
    const payload = new TextEncoder().encode(body === null ? '' : JSON.stringify(body));
    const stored = this.#stored.get(key);
    const request = { operation, thing: edge, name, payload, source };
    const outcome = apply(this.#world.timeline.nowMs, stored, request);
    if (outcome.next !== undefined) this.#stored.set(key, outcome.next);
    for (const message of outcome.messages) {
      this.#world.tell(edge, message);
      if (message.topic.endsWith('/prog/update/accepted')) this.#ruleOn(edge, message.body);
    }
    return outcome.response.code;
  }

  /** What the topic rule selects from an accepted report. */
  #ruleOn(edge: EdgeName, body: JsonObject): void {
    const state = body.state as JsonObject | null;
    const reported = state?.reported as JsonObject | undefined;
    // The rule's WHERE: an update that only makes the shadow small is no report.
    if (typeof reported?.e !== 'number') return;
    this.#world.rule({
      kind: 'prog',
      edge,
      at: this.#world.timeline.nowMs,
      version: body.version,
      reported,
    });
  }
}
