import type { JobId } from '../../core/model/names.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  firstIntervals,
  fromChunks,
  has,
  intersect,
  isEmpty,
  rangeOf,
  subtract,
  union,
} from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { type LeftBelow, resultsBelow } from '../federation/bring-results.ts';
import type { DownstreamApi, DownstreamJob } from '../federation/downstream-api.ts';
import { makeDownstreamRefusals } from '../federation/downstream-refusals.ts';
import {
  alikeOf,
  type FollowedPart,
  type Handed,
  meanMs,
  nameOf,
  newFollowedPart,
} from '../federation/followed-part.ts';
import {
  cancelledIntervalsMax,
  downstreamPollMs,
  downstreamPollMsMax,
  downstreamRequestsMax,
  hopelessLooksMax,
  partTriesMax,
} from '../federation/limits.ts';
import {
  bodyOfPart,
  divideIntoParts,
  formatPart,
  type PartName,
  parsePart,
  partId,
  type Stages,
  whyNotBelow,
} from '../federation/part.ts';
import { endsOf, whyNever } from '../federation/part-ends.ts';
import type { Clock } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import { ControlPlaneError } from '../link/control-plane-api.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  type Executor,
  type ExecutorDeps,
  keyOf,
  wantsOutput,
} from './executor.ts';

/**
 * A whole deployment is one edge: what it is given becomes jobs of the deployment below, which are
 * followed by asking now and then, and cancelled. Whatever is given together is one job there, and
 * waits in its queues.
 *
 * A job below is written down before it is handed over, and its id follows from what it is. So an
 * agent that starts again goes on with the jobs that are there, and hands over what is not.
 */
export type EdgewiseDeps = ExecutorDeps & {
  readonly clock: Clock;
  readonly log: Log;
  readonly api: DownstreamApi;
  readonly pool: string;
  readonly stages: Stages;
  /** As it was submitted, with names in braces where it has some. */
  readonly specOf: (job: JobId, hash: string) => AgentSpec | null;
  /** What chunks left below; why it cannot be had, or `null` once it is here. */
  readonly bring: (left: LeftBelow) => Promise<string | null>;
  /** There is something new to say of an edge. */
  readonly changed: (edge: string) => void;
};

export type EdgewiseExecutor = Executor & {
  /** It was handed over, and has not begun. */
  waits(name: ChunkName): boolean;
  /** Why nothing below runs this job, or `null`. */
  refusalOf(job: string): string | null;
};

export function makeEdgewise(deps: EdgewiseDeps): EdgewiseExecutor {
  return new Federation(deps);
}

class Federation implements EdgewiseExecutor {
  readonly name = 'edgewise';
  readonly outlivesAgent = true;
  readonly #deps: EdgewiseDeps;
  readonly #parts = new Map<string, FollowedPart>();
  readonly #tasks = new Map<string, { readonly part: FollowedPart; readonly index: number }>();
  readonly #refusals: ReturnType<typeof makeDownstreamRefusals>;
  #cancelLook: () => void = () => {};
  #pollMs = downstreamPollMs;
  #isLooking = false;
  #isWoken = false;
  #isAway = false;
  #isClosed = false;

  constructor(deps: EdgewiseDeps) {
    this.#deps = deps;
    this.#refusals = makeDownstreamRefusals(deps);
  }

  start(orders: readonly ChunkOrder[]): void {
    for (const alike of alikeOf(orders)) {
      const { edge, job, attempt, power, spec: own } = alike[0]!;
      const spec = this.#deps.specOf(job, own.hash) ?? own;
      const why = whyNotBelow(spec, this.#deps.stages);
      if (why !== null) {
        this.#refusals.add({ edge, job }, why);
        for (const name of alike) this.#giveBack(name);
        continue;
      }
      for (const chunks of divideIntoParts(
        spec,
        alike.map(({ chunk }) => chunk),
      )) {
        this.#begin({ edge, job, attempt, chunks, tried: 0 }, { spec, power });
      }
    }
    this.#wake();
  }

  #giveBack(name: ChunkName): void {
    this.#deps.ended({ name, end: { kind: 'stopped' }, output: null, durationMs: null });
  }

  stop(name: ChunkName): void {
    const task = this.#tasks.get(keyOf(name));
    if (task === undefined) return;
    this.#end(task.part, task.index, { kind: 'stopped' }, null, null);
    this.#wake();
  }

  waits(name: ChunkName): boolean {
    const task = this.#tasks.get(keyOf(name));
    return task !== undefined && !has(task.part.running, task.index);
  }

  refusalOf(job: string): string | null {
    return this.#refusals.of(job);
  }

  /** Nothing is asked: what became of the jobs below is seen at the first look. */
  recover(edges: readonly string[]): Promise<ChunkName[]> {
    const survivors: ChunkName[] = [];
    for (const [id, text] of [...this.#deps.notes.all()]) {
      const noted = parsePart(text);
      if (this.#parts.has(id)) continue;
      if (noted === null) {
        this.#deps.notes.remove(id);
        continue;
      }
      const { open, leaving, keepOutput, results, ...name } = noted;
      const part = this.#follow({ id, name, handed: null, keepOutput, results, open, leaving });
      if (!edges.includes(name.edge) || isEmpty(open)) part.isCancelling = true;
      else for (const index of chunksOf(part.open)) survivors.push(nameOf(part, index));
    }
    return Promise.resolve(survivors);
  }

  resume(): void {
    this.#wake();
  }

  /** The deployment below goes on without the agent. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    return Promise.resolve();
  }

  /** A job that was cancelled there keeps its id, so the same chunks become another one. */
  #begin(name: PartName, handed: Handed): void {
    let tried = name.tried;
    let id = partId(this.#deps.stages.above, { ...name, tried });
    while (this.#parts.has(id) && tried < partTriesMax) {
      tried += 1;
      id = partId(this.#deps.stages.above, { ...name, tried });
    }
    const open = rangeOf(0, count(name.chunks));
    const { keepOutput } = handed.spec;
    const results = resultsBelow(handed.spec);
    const what = { id, name: { ...name, tried }, handed, keepOutput, results, open };
    const part = this.#follow({ ...what, leaving: emptyRanges });
    this.#note(part);
  }

  #follow(what: Parameters<typeof newFollowedPart>[0]): FollowedPart {
    const part = newFollowedPart(what, this.#deps.clock.monotonicMs());
    const known: number[] = [];
    for (const index of chunksOf(part.open)) {
      const key = keyOf(nameOf(part, index));
      if (this.#tasks.has(key)) known.push(index);
      else this.#tasks.set(key, { part, index });
    }
    part.open = subtract(part.open, fromChunks(known));
    this.#parts.set(part.id, part);
    return part;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#pollMs = downstreamPollMs;
    this.#later(0);
  }

  #later(delayMs: number): void {
    this.#cancelLook();
    if (this.#isClosed || this.#isLooking || this.#parts.size === 0) return;
    this.#cancelLook = this.#deps.clock.after(delayMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isWoken = false;
    const parts = [...this.#parts.values()];
    let isChanged = false;
    const worker = async (): Promise<void> => {
      for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
        if (this.#isClosed) return;
        isChanged = (await this.#lookAt(part)) || isChanged;
      }
    };
    await Promise.all(Array.from({ length: downstreamRequestsMax }, worker));
    this.#isLooking = false;
    this.#pollMs = isChanged ? downstreamPollMs : Math.min(downstreamPollMsMax, this.#pollMs * 1.5);
    this.#later(this.#isWoken ? 0 : this.#pollMs);
  }

  /** Answers whether anything was new. */
  async #lookAt(part: FollowedPart): Promise<boolean> {
    try {
      if (part.isCancelling) return await this.#cancel(part);
      const job = await this.#jobOf(part);
      if (this.#isClosed) return false;
      this.#answers();
      if (isUsedUp(job) && !part.isThere && part.handed !== null) {
        this.#handOverAnew(part, part.handed);
        return true;
      }
      part.isThere = true;
      await this.#takeBack(part);
      return await this.#judge(part, job);
    } catch (error) {
      return this.#failed(part, error as Error);
    }
  }

  #jobOf({ id, isThere, handed, name }: FollowedPart): Promise<DownstreamJob> {
    const { api, ...given } = this.#deps;
    if (isThere || handed === null) return api.job(id);
    return api.putJob(id, bodyOfPart(name, handed.spec, { ...given, power: handed.power }));
  }

  async #judge(part: FollowedPart, job: DownstreamJob): Promise<boolean> {
    const { api, clock, changed } = this.#deps;
    const nowMs = clock.monotonicMs();
    const ends = await endsOf(api, part, job);
    const isKept = (end: ChunkEnd) => wantsOutput({ spec: part }, end);
    const durationMs = meanMs(nowMs - part.lookedAtMs, job, ends.size);
    for (const [index, end] of ends) {
      const output = isKept(end) ? await api.output(part.id, index) : null;
      const judged = await this.#bring(part, index, end);
      if (has(part.open, index)) this.#end(part, index, judged, output, durationMs);
    }
    part.lookedAtMs = nowMs;
    part.cancelledThere = job.counts.cancelled;
    const running = intersect(job.running, part.open);
    const isMoved = count(running) !== count(part.running);
    part.running = running;
    if (isMoved) changed(part.name.edge);
    const why = whyNever(job);
    part.hopeless = why === null ? 0 : part.hopeless + 1;
    if (why !== null && part.hopeless >= hopelessLooksMax) {
      this.#refuse(part, why);
    }
    return ends.size > 0 || isMoved;
  }

  /** With its files here; a chunk whose files are gone below has to be run again. */
  async #bring(part: FollowedPart, index: number, end: ChunkEnd): Promise<ChunkEnd> {
    const { id: job, results } = part;
    if (results === null || (end.kind !== 'done' && results.on === 'done')) return end;
    const { reader, bytesMax } = results;
    const name = nameOf(part, index);
    const why = await this.#deps.bring({ job, chunk: index, name, reader, bytesMax });
    return why === null || end.kind !== 'done' ? end : { kind: 'failed', failure: why };
  }

  /** The others go on there. A deployment that cannot do so runs all of it, and some in vain. */
  async #takeBack(part: FollowedPart): Promise<void> {
    while (!isEmpty(part.leaving)) {
      const some = firstIntervals(part.leaving, cancelledIntervalsMax);
      await unlessRefused(this.#deps.api.cancelChunks(part.id, some));
      part.leaving = subtract(part.leaving, some);
      this.#note(part);
    }
  }

  async #cancel(part: FollowedPart): Promise<boolean> {
    await unlessRefused(this.#deps.api.cancel(part.id));
    this.#parts.delete(part.id);
    this.#note(part);
    return false;
  }

  #failed(part: FollowedPart, error: Error): boolean {
    const refused = error instanceof ControlPlaneError && !error.isTemporary ? error : null;
    if (refused === null || (refused.isRefusal && part.isThere)) {
      if (!this.#isAway) this.#deps.log(`${error.message} Trying on.`, 'warning');
      this.#isAway = true;
      return false;
    }
    if (refused.status === 404) {
      // What was never there has not run.
      const failure = 'lost by edgewise';
      this.#endAll(part, part.isThere ? { kind: 'failed', failure } : { kind: 'stopped' });
    } else this.#refuse(part, refused.code === 'invalid-request' ? error.message : refused.code);
    this.#parts.delete(part.id);
    this.#note(part);
    return true;
  }

  #answers(): void {
    if (this.#isAway) this.#deps.log('The deployment below answers again.');
    this.#isAway = false;
  }

  #refuse(part: FollowedPart, why: string): void {
    this.#refusals.add(part.name, why);
    this.#endAll(part, { kind: 'stopped' });
  }

  #handOverAnew(part: FollowedPart, handed: Handed): void {
    for (const index of chunksOf(part.open)) this.#tasks.delete(keyOf(nameOf(part, index)));
    this.#begin({ ...part.name, tried: part.name.tried + 1 }, handed);
    this.#parts.delete(part.id);
    this.#deps.notes.remove(part.id);
    this.#isWoken = true;
  }

  #endAll(part: FollowedPart, end: ChunkEnd): void {
    for (const index of [...chunksOf(part.open)]) this.#end(part, index, end, null, null);
  }

  #end(
    part: FollowedPart,
    index: number,
    end: ChunkEnd,
    output: Uint8Array | null,
    durationMs: number | null,
  ): void {
    const name = nameOf(part, index);
    this.#tasks.delete(keyOf(name));
    part.open = subtract(part.open, rangeOf(index, index + 1));
    part.taking += 1;
    if (end.kind === 'stopped') {
      part.isLeft = true;
      part.leaving = union(part.leaving, rangeOf(index, index + 1));
    }
    if (isEmpty(part.open) && part.isLeft) part.isCancelling = true;
    const taken = (): void => {
      part.taking -= 1;
      if (part.taking > 0) return;
      if (isEmpty(part.open) && !part.isCancelling) this.#parts.delete(part.id);
      this.#note(part);
    };
    this.#deps.ended({ name, end, output, durationMs, taken });
  }

  /** As long as there is something to find again. */
  #note(part: FollowedPart): void {
    const { id, name, open, leaving, keepOutput, results } = part;
    const noted = { ...name, open, leaving, keepOutput, results };
    if (this.#parts.has(id)) this.#deps.notes.put(id, formatPart(noted));
    else this.#deps.notes.remove(id);
  }
}

/** Some of it was cancelled in an earlier life: given again, it is another job. */
function isUsedUp({ state, counts }: DownstreamJob): boolean {
  return state === 'cancelled' || counts.cancelled > 0;
}

async function unlessRefused(asked: Promise<void>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof ControlPlaneError) || error.isTemporary) throw error;
  }
}
