import type { JobId } from '../../../core/model/names.ts';
import { chunksOf, rangeOf } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { numbersOf } from '../../../core/services/instance-numbers.ts';
import { minReadySecondsMax, readyAfterSecondsMax } from '../../../core/services/limits.ts';
import type { ApiAnswer, ApiRequest } from '../api.ts';
import { must } from '../checks/truth.ts';
import type { Faults } from '../faults.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import type { Timeline } from '../timeline.ts';
import type { Fault, InstanceBook } from './instance-book.ts';

/** Users of services: what they keep running, and what they do to it while it runs. */
export type ServiceUsersWorld = {
  readonly timeline: Timeline;
  readonly instances: InstanceBook;
  readonly request: (request: ApiRequest) => Promise<ApiAnswer | null>;
  readonly submit: (name: string, body: object) => Promise<void>;
  readonly services: () => readonly StoredJob[];
  readonly fail: (error: unknown) => void;
};

type Body = Readonly<Record<string, unknown>> & {
  readonly update: object;
  readonly stopGraceSeconds: number;
};

/** Not while anybody waits for it. */
const neverReady = ({ update }: Body): object => ({
  ready: { afterSeconds: readyAfterSecondsMax },
  update: { ...update, minReadySeconds: minReadySecondsMax },
});

/**
 * In a part of the worlds there are services. Not where copies of edges run by design, where a
 * table is restored and nobody knows what was wanted, or where edges choose their work themselves.
 */
export function drawServices(seed: number, faults: Faults, takes: boolean): SeededRandom | null {
  const random = seededRandom(seed).stream('services');
  const isFor = faults.copyEdgeEveryMs === 0 && faults.restoreTable === 0 && !takes;
  return isFor && random.chance(0.5) ? random : null;
}

export class ServiceUsers {
  readonly #world: ServiceUsersWorld;
  readonly #random: SeededRandom;
  /** Of those who mean one instance. */
  readonly #one: SeededRandom;
  /** Of those who mean two instances, one right after the other. */
  readonly #two: SeededRandom;
  /** Of what is wished last. */
  readonly #last: SeededRandom;
  /** Of what is good in one cell and not in the next. */
  readonly #parted: SeededRandom;
  readonly #bodies = new Map<string, Body>();
  #generations = 0;
  #acts = true;

  constructor(world: ServiceUsersWorld, random: SeededRandom) {
    this.#world = world;
    this.#random = random;
    this.#one = random.stream('one');
    this.#two = random.stream('two');
    this.#last = random.stream('last');
    this.#parted = random.stream('parted');
  }

  layOut(): void {
    const { timeline, submit, fail } = this.#world;
    const services = this.#random.between(1, 2);
    for (let service = 0; service < services; service++) {
      const name = `service-${service}`;
      const body = this.#drawService();
      this.#bodies.set(name, body);
      const atMs = this.#random.between(0, 20_000);
      timeline.after(atMs, 'submit', () => submit(name, body).catch(fail));
    }
    this.#actLater();
    if (this.#two.chance(0.3)) this.#meanTwoLater();
  }

  /** Nobody touches them any more, but for a last wish that nothing comes after. */
  rest(): void {
    this.#acts = false;
    const wish = this.#last.pick(['two', 'two', 'hanging', 'hanging', null] as const);
    const open = this.#open();
    if (wish === null || open.length === 0) return;
    const job = this.#last.pick(open);
    this.#wishLast(job, wish).catch(this.#world.fail);
  }

  #wishLast(job: StoredJob, wish: 'two' | 'hanging'): Promise<void> {
    const isParted = job.spec.everywhere !== undefined && this.#parted.chance(0.4);
    if (isParted) return this.#update(job, 'ends-elsewhere');
    return wish === 'two' ? this.#startTwo(job) : this.#update(job, 'hangs');
  }

  services(): readonly StoredJob[] {
    return this.#world.services();
  }

  deleteAll(): void {
    const { fail } = this.#world;
    for (const { id } of this.services()) {
      this.#change({ operation: 'cancelJob', id }).catch(fail);
    }
  }

  #drawService(): Body {
    const random = this.#random;
    const everywhere = random.chance(0.4);
    const isOnce = everywhere && random.chance(0.4);
    return {
      ...(everywhere
        ? { kind: 'everywhere', until: isOnce ? 'all-now' : 'forever' }
        : { kind: 'service', chunks: random.between(1, 6) }),
      chunkPower: 10,
      run: { simulate: {} },
      restart: { policy: isOnce ? 'never' : 'always', backoffSeconds: 1, backoffSecondsMax: 30 },
      ready: { afterSeconds: random.pick([0, 1, 3]) },
      update: {
        maxUnavailable: random.pick([1, 1, 2]),
        minReadySeconds: random.pick([0, 2, 5]),
        onFailure: random.pick(['pause', 'rollback']),
        failAfterSeconds: random.pick([20, 60]),
      },
      stopGraceSeconds: this.#nextGrace(null),
      lostAfterSeconds: random.pick([5, 20]),
    };
  }

  /** Tells one generation from the other. */
  #nextGrace(fault: Fault | null): number {
    const grace = ++this.#generations;
    if (fault !== null) this.#world.instances.badGraces.set(grace, fault);
    return grace;
  }

  #actLater(): void {
    const { timeline, fail } = this.#world;
    timeline.after(this.#random.between(2_000, 25_000), 'user of services', () => {
      if (!this.#acts) return;
      this.#act().catch(fail);
      this.#actLater();
    });
  }

  #meanTwoLater(): void {
    const { timeline, fail } = this.#world;
    timeline.after(this.#two.between(2_000, 20_000), 'user of two instances', () => {
      if (!this.#acts) return;
      const open = this.#open();
      if (open.length > 0) this.#startTwo(this.#two.pick(open)).catch(fail);
      this.#meanTwoLater();
    });
  }

  /** No pass comes between the two, mostly. */
  async #startTwo({ id, spec, chunking }: StoredJob): Promise<void> {
    const known = spec.everywhere === undefined ? numbersOf(chunking) : rangeOf(0, 4);
    const numbers = [...chunksOf(known)];
    if (numbers.length < 2) return;
    const at = this.#two.between(1, numbers.length - 1);
    const two = [numbers[at]!, numbers[at - 1]!];
    const changes = two.map((chunk) => {
      const body = { chunks: String(chunk) };
      return this.#two.chance(0.5)
        ? this.#change({ operation: 'stopChunk', id, chunk })
        : this.#change({ operation: 'restartJob', id, body });
    });
    await Promise.all(changes);
  }

  #open(): StoredJob[] {
    return this.services().filter(({ cancelledAtMs }) => cancelledAtMs === null);
  }

  async #act(): Promise<void> {
    const open = this.#open();
    if (open.length === 0) return;
    const job = this.#random.pick(open);
    const kinds = ['scale', 'update', 'update', 'bad', 'rollback', 'restart', 'delete'] as const;
    const kind = this.#random.pick(kinds);
    const { id } = job;
    if (kind === 'scale') await this.#scale(job);
    else if (kind === 'update' || kind === 'bad')
      await this.#update(job, kind === 'bad' ? this.#badFor(job) : null);
    else if (kind === 'rollback') await this.#change({ operation: 'rollbackJob', id, body: {} });
    else if (kind === 'restart') await this.#change({ operation: 'restartJob', id, body: {} });
    else if (this.#random.chance(0.3)) await this.#change({ operation: 'cancelJob', id });
  }

  #badFor({ spec }: StoredJob): Fault {
    const isParted = spec.everywhere !== undefined && this.#parted.chance(0.5);
    return isParted ? 'ends-elsewhere' : 'ends';
  }

  async #scale({ id, spec, chunking }: StoredJob): Promise<void> {
    if (this.#one.chance(0.5)) {
      const chunk = this.#one.between(0, 6);
      const isFewer = spec.everywhere === undefined && this.#one.chance(0.6);
      const query = { scale: String(isFewer) };
      if (!isFewer || chunking.chunks > 1) {
        await this.#change({ operation: 'stopChunk', id, chunk, query });
        return;
      }
    }
    if (spec.everywhere !== undefined) return;
    const chunks = this.#random.between(0, 6);
    await this.#change({ operation: 'patchJob', id, body: { chunks } });
  }

  async #update({ id, spec, chunking }: StoredJob, fault: Fault | null): Promise<void> {
    const before = this.#bodies.get(spec.name ?? '')!;
    const slow = fault === 'hangs' ? neverReady(before) : {};
    const body: Body = { ...before, ...slow, stopGraceSeconds: this.#nextGrace(fault) };
    this.#bodies.set(spec.name ?? '', body);
    const size = spec.everywhere === undefined ? { chunks: chunking.chunks } : {};
    await this.#change({
      operation: 'putJob',
      id,
      body: { ...body, ...size, name: spec.name },
    });
  }

  async #change(request: ApiRequest & { readonly id: JobId }): Promise<void> {
    const answer = await this.#world.request(request);
    const expected = [200, 202, 404, 409, 412, 503];
    must(
      answer === null || expected.includes(answer.status),
      () => `${request.operation} of a service was answered ${answer?.status}`,
    );
  }
}
