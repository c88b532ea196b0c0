import type { Cell } from '../../core/model/cell.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import type { JobId } from '../../core/model/names.ts';
import { formatRanges, isEmpty, rangeOf } from '../../core/model/ranges.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { ApiAnswer, ApiRequest } from './api.ts';
import { must } from './checks/truth.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Timeline } from './timeline.ts';

/**
 * Users: what they submit, and what they do to jobs that exist, two of them at once if it comes to
 * that. Who gets no answer to a submission sends it again with the same key, or gives up.
 */
export type UsersWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly request: (request: ApiRequest) => Promise<ApiAnswer | null>;
  readonly jobs: () => readonly StoredJob[];
  readonly stored: (id: JobId) => StoredJob | undefined;
  /** The table is an older one. */
  readonly isRestored: () => boolean;
  readonly trace: (line: string) => void;
  readonly defect: (error: unknown) => void;
};

const triesMax = 8;
const givesUp = 0.1;
/** For so long a tail that was seen to be reclaimed is likely to be so still. */
const reclaimMs = 5_000;

export class Users {
  readonly #world: UsersWorld;
  /** Of who does not want some chunks any more; in some worlds there is nobody like that. */
  readonly #parts: SeededRandom;
  readonly #cancelsParts: boolean;
  readonly #bodies = new Map<string, object>();
  readonly #batches: { readonly names: readonly string[]; isAccepted: boolean }[] = [];
  #submissions = 0;
  #waiting = 0;
  /** The last job of which a tail was seen to be reclaimed. */
  #reclaimed: { readonly job: JobId; readonly atMs: number } | null = null;
  /** While trouble lasts, who sees chunks die asks for another try. */
  watch = true;

  constructor(world: UsersWorld) {
    this.#world = world;
    this.#parts = world.random.stream('cancelled chunks');
    this.#cancelsParts = this.#parts.chance(0.25);
  }

  /** Whether somebody still waits for an answer to a submission. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** The name of the job tells its submission: it cannot be edited. */
  async submit(name: string, body: object): Promise<void> {
    const { random } = this.#world;
    const number = ++this.#submissions;
    this.#bodies.set(name, body);
    const chosen = random.chance(0.3);
    const request: ApiRequest = chosen
      ? { operation: 'putJob', id: `${name}-chosen`, body: { ...body, name } }
      : {
          operation: 'submitJob',
          headers: { 'idempotency-key': `submission-${number}` },
          body: { ...body, name },
        };
    this.#waiting += 1;
    const answer = await this.#insist(request);
    this.#waiting -= 1;
    if (answer === null) return;
    // What it waits for may be unknown to a table that was restored.
    const expected = [200, 202, 409, 422, ...(this.#world.isRestored() ? [400] : [])];
    must(expected.includes(answer.status), () => `${name} was answered ${answer.status}`);
    must(
      chosen || !('code' in answer) || answer.code !== 'job-exists',
      () => `${name} was sent without an id and is refused for its id`,
    );
    if (answer.status > 202) return;
    const { id } = answer.body as { id: JobId };
    must(
      this.#world.stored(id)?.spec.name === name,
      () => `${name} was accepted and is not stored`,
    );
  }

  /** All or none: the names tell what of it is stored. */
  async submitBatch(names: readonly string[], body: object): Promise<void> {
    const number = ++this.#submissions;
    const batch = { names, isAccepted: false };
    this.#batches.push(batch);
    for (const name of names) this.#bodies.set(name, body);
    this.#waiting += 1;
    const answer = await this.#insist({
      operation: 'submitJobs',
      headers: { 'idempotency-key': `submission-${number}` },
      body: { jobs: names.map((name) => ({ ...body, name })) },
    });
    this.#waiting -= 1;
    batch.isAccepted = answer?.status === 202;
  }

  /** The table is an older one: what was accepted since then may be gone. */
  restored(): void {
    this.#batches.length = 0;
  }

  /** When nothing is under way any more. */
  checkBatches(): void {
    const stored = new Set(this.#world.jobs().map(({ spec }) => spec.name));
    for (const { names, isAccepted } of this.#batches) {
      const there = names.filter((name) => stored.has(name)).length;
      const isWhole = there === names.length || (there === 0 && !isAccepted);
      must(isWhole, () => `${there} of a batch of ${names.length} jobs are stored`);
    }
  }

  /** One user does something to a job, or two do at the same moment. */
  act(): void {
    const { random } = this.#world;
    const jobs = this.#world.jobs();
    if (jobs.length === 0) return;
    const job = random.pick(jobs);
    const users = random.chance(0.5) ? 2 : 1;
    for (let user = 0; user < users; user++) this.#actOn(job).catch(this.#world.defect);
    if (!this.#cancelsParts || this.#parts.chance(0.4)) return;
    this.#cancelPart(this.#parts.chance(0.5) ? job : this.#parts.pick(jobs)).catch(
      this.#world.defect,
    );
  }

  async #cancelPart({ id, chunking }: StoredJob): Promise<void> {
    const first = this.#parts.between(0, chunking.chunks - 1);
    const length = this.#parts.pick([1, 1, 3, 10, chunking.chunks]);
    const ranges = formatRanges(rangeOf(first, Math.min(first + length, chunking.chunks)));
    await this.#change('cancelChunks', id, undefined, { ranges });
  }

  /** A job's status changed: somebody may be looking at it. */
  sees(status: JobStatus, before: JobStatus): void {
    const { random, timeline } = this.#world;
    const { dead, done, cancelled, total } = status.counts;
    const isNew = dead > before.counts.dead;
    const isNearlyOver = dead > 0 && total - done - cancelled - dead <= 6;
    if (!this.watch || !(isNew || isNearlyOver) || random.chance(0.3)) return;
    const delayMs = random.chance(0.5) ? 0 : random.between(0, 1_200);
    timeline.after(delayMs, 'user retries', () => this.#retry(status.job));
  }

  /** A pass has read this cell and decides: the worst moment for a user to step in. */
  meets(cell: Cell): void {
    const { random, timeline } = this.#world;
    if (!this.watch) return;
    for (const { work } of cell.edges.values()) {
      for (const [job, { reclaiming }] of work?.leases ?? []) {
        if (!isEmpty(reclaiming)) this.#reclaimed = { job, atMs: timeline.nowMs };
      }
    }
    for (const { id, slice } of cell.jobs.values()) {
      if (!isEmpty(slice.dead) && random.chance(0.1)) this.#retry(id);
    }
  }

  /** Whoever cancels something cancels that: an edge has been asked, and has not answered. */
  #takeReclaimed(): JobId | null {
    const seen = this.#reclaimed;
    this.#reclaimed = null;
    const isRecent = seen !== null && this.#world.timeline.nowMs - seen.atMs <= reclaimMs;
    return isRecent ? seen.job : null;
  }

  #retry(id: JobId): void {
    this.#change('retryJob', id).catch(this.#world.defect);
  }

  async #actOn({ id, spec }: StoredJob): Promise<void> {
    const { random } = this.#world;
    const action = random.pick(['patch', 'patch', 'put', 'cancel', 'retry', 'retry'] as const);
    if (action === 'cancel') await this.#change('cancelJob', this.#takeReclaimed() ?? id);
    else if (action === 'retry') await this.#change('retryJob', id);
    else if (action === 'patch') await this.#change('patchJob', id, this.#drawPatch());
    else {
      const body = { ...this.#bodies.get(spec.name ?? ''), name: spec.name };
      await this.#change('putJob', id, { ...body, priority: random.between(1, 99) });
    }
  }

  #drawPatch(): object {
    const { random } = this.#world;
    const attempts = random.pick([1, 2, 4, 6]);
    const backoffSeconds = random.pick([0, 2]);
    return {
      ...(random.chance(0.5) ? { priority: random.between(1, 99) } : {}),
      ...(random.chance(0.4) ? { labels: { team: `team-${random.between(1, 9)}` } } : {}),
      ...(random.chance(0.4)
        ? { retries: random.chance(0.5) ? { attempts } : { backoffSeconds } }
        : {}),
    };
  }

  async #change(
    operation: ApiRequest['operation'],
    id: JobId,
    body?: object,
    query?: ApiRequest['query'],
  ): Promise<void> {
    const { random, stored } = this.#world;
    const version = stored(id)?.version ?? 0;
    const headers = random.chance(0.3) ? { 'if-match': `"${version}-seen"` } : {};
    const asked = { ...(body === undefined ? {} : { body }), ...(query && { query }) };
    const request = { operation, id, headers, ...asked };
    const answer = await this.#intent(request);
    const expected = [200, 202, 404, 409, 412];
    must(
      answer === null || expected.includes(answer.status),
      () => `${operation} was answered ${answer?.status}`,
    );
  }

  async #insist(request: ApiRequest): Promise<ApiAnswer | null> {
    const { random, timeline } = this.#world;
    for (let tries = 1; tries <= triesMax; tries++) {
      const answer = await this.#intent(request);
      if (answer !== null && answer.status !== 503) return answer;
      if (this.watch && random.chance(givesUp)) return null;
      await timeline.pause(random.between(100, 8_000), 'user tries again');
    }
    return null;
  }

  async #intent(request: ApiRequest): Promise<ApiAnswer | null> {
    const answer = await this.#world.request(request);
    this.#world.trace(
      `user ${request.operation} ${request.id ?? ''} ${answer?.status ?? 'no answer'}`,
    );
    return answer;
  }
}
