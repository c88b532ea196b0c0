import { createHash } from 'node:crypto';
import { formatManifest } from '../../../core/files/manifest.ts';
import { type EdgeName, edgeNameOf, type JobId } from '../../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  fromChunks,
  has,
  type RangeSet,
} from '../../../core/model/ranges.ts';
import {
  encodeProgressReport,
  type Failure,
  type JobProgress,
} from '../../../core/protocol/progress-report.ts';
import { parseWork, type Work, type WorkEntry } from '../../../core/protocol/work.ts';
import type { ApiStage } from '../../lambdas/api/api-stage.ts';

/** What becomes of a chunk here: how long it takes, and how it ends. */
export type Fate = {
  readonly ms: number;
  readonly failure: Failure | null;
  readonly output: string | null;
  /** It runs until it is stopped, and is ready at once. */
  readonly isInstance?: boolean;
  /** What it leaves, by path. */
  readonly files?: Readonly<Record<string, string>>;
};

export type FateOf = (job: JobId, chunk: number, attempt: number) => Fate;

type Result = {
  readonly attempt: number;
  readonly failure: Failure | null;
  sequence: number | null;
};
type Running = { readonly attempt: number; readonly endsAtMs: number };

/**
 * An edge as simple as the protocol allows, over HTTPS with a secret of its own: it asks for work,
 * runs it by the clock of the test, and reports all that it knows until that is acknowledged.
 */
export class WorkingEdge {
  readonly name: EdgeName;
  readonly #api: ApiStage;
  readonly #secret: string;
  readonly #fateOf: FateOf;
  readonly #results = new Map<JobId, Map<number, Result>>();
  readonly #running = new Map<JobId, Map<number, Running>>();
  #sequence = 0;

  constructor(api: ApiStage, name: string, secret: string, fateOf: FateOf) {
    this.#api = api;
    this.name = edgeNameOf(name);
    this.#secret = secret;
    this.#fateOf = fateOf;
  }

  async work(nowMs: number): Promise<void> {
    const work = await this.#ask();
    this.#forget(work);
    for (const [job, entry] of work.jobs) {
      await this.#end(job, nowMs);
      this.#start(job, entry, nowMs);
    }
    await this.#report(work);
  }

  async #ask(): Promise<Work> {
    const path = `/v1/edges/${this.name}/work`;
    const { json, text } = await this.#api.request('GET', path, { token: this.#secret });
    const work = parseWork(json);
    if (work === null) throw new Error(`${this.name} cannot read its work: ${text}`);
    return work;
  }

  /** Results whose chunk is gone from the work, and that a report was acknowledged with. */
  #forget({ jobs, acknowledgedSequence }: Work): void {
    for (const [job, results] of this.#results) {
      const owned = jobs.get(job)?.ranges ?? emptyRanges;
      for (const [chunk, { sequence }] of results) {
        const isKnown = sequence !== null && sequence <= (acknowledgedSequence ?? 0);
        if (isKnown && !has(owned, chunk)) results.delete(chunk);
      }
      if (results.size === 0) this.#results.delete(job);
    }
    for (const [job, running] of this.#running) {
      const owned = jobs.get(job)?.ranges ?? emptyRanges;
      for (const chunk of running.keys()) if (!has(owned, chunk)) running.delete(chunk);
      if (running.size === 0) this.#running.delete(job);
    }
  }

  async #end(job: JobId, nowMs: number): Promise<void> {
    for (const [chunk, { attempt, endsAtMs }] of this.#running.get(job) ?? []) {
      if (endsAtMs > nowMs) continue;
      const { failure, output, files } = this.#fateOf(job, chunk, attempt);
      if (files !== undefined) await this.#leave(job, chunk, attempt, files);
      this.#running.get(job)!.delete(chunk);
      valueIn(this.#results, job).set(chunk, { attempt, failure, sequence: null });
      if (output !== null) await this.#keep(job, chunk, attempt, output);
    }
  }

  async #keep(job: JobId, chunk: number, attempt: number, output: string): Promise<void> {
    const path = `/v1/jobs/${job}/chunks/${chunk}/output?attempt=${attempt}`;
    const headers = { 'content-type': 'text/plain' };
    const answer = await this.#api.request('PUT', path, {
      token: this.#secret,
      raw: output,
      headers,
    });
    if (answer.status !== 204) throw new Error(`an output was not kept: ${answer.text}`);
  }

  async #leave(job: JobId, chunk: number, attempt: number, files: object): Promise<void> {
    const contents = Object.entries(files).map(([path, text]) => ({ path, text: String(text) }));
    const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
    const listed = contents.map(({ path, text }) => {
      const bytes = Buffer.byteLength(text);
      return { path, sha256: digestOf(text), bytes, isExecutable: false };
    });
    const list = formatManifest({ files: listed, links: [] });
    const token = this.#secret;
    for (const text of [...contents.map((each) => each.text), list]) {
      const body = { files: [{ sha256: digestOf(text), bytes: Buffer.byteLength(text) }] };
      const path = `/v1/jobs/${job}/files/uploads`;
      const { uploadUrl: url, headers } = (await this.#api.request('POST', path, { token, body }))
        .json.items[0];
      if (url !== undefined) this.#api.services.results.put({ url, headers }, Buffer.from(text));
    }
    const sums = { files: listed.length, bytes: 0, attempt, done: true };
    const path = `/v1/jobs/${job}/chunks/${chunk}/files`;
    const body = { manifest: digestOf(list), ...sums };
    const { status, text } = await this.#api.request('PUT', path, { token, body });
    if (status !== 204) throw new Error(`results were not kept: ${text}`);
  }

  #start(job: JobId, entry: WorkEntry, nowMs: number): void {
    const running = valueIn(this.#running, job);
    const results = valueIn(this.#results, job);
    for (const [chunk, { attempt }] of running) {
      if (attempt < attemptIn(entry, chunk)) running.delete(chunk);
    }
    for (const chunk of chunksOf(entry.ranges)) {
      if (running.size >= entry.slots) return;
      const attempt = attemptIn(entry, chunk);
      const known = results.get(chunk);
      if (running.has(chunk) || has(entry.release, chunk)) continue;
      if (known !== undefined && (known.failure === null || known.attempt >= attempt)) continue;
      results.delete(chunk);
      running.set(chunk, { attempt, endsAtMs: nowMs + this.#fateOf(job, chunk, attempt).ms });
    }
  }

  async #report({ epoch }: Work): Promise<void> {
    const sequence = ++this.#sequence;
    const jobs = new Map<JobId, JobProgress>();
    for (const job of new Set([...this.#results.keys(), ...this.#running.keys()])) {
      jobs.set(job, this.#progressOf(job, sequence));
    }
    const progress = { boot: 'boot', epoch, sequence, freePower: 0, jobs, pollSeconds: 10 };
    const path = `/v1/edges/${this.name}/report`;
    const body = encodeProgressReport(progress);
    const answer = await this.#api.request('POST', path, { token: this.#secret, body });
    if (answer.status !== 202) throw new Error(`${this.name} cannot report: ${answer.text}`);
  }

  #progressOf(job: JobId, sequence: number): JobProgress {
    const results = [...(this.#results.get(job) ?? [])];
    const running = [...(this.#running.get(job) ?? [])];
    const active = fromChunks(running.map(([chunk]) => chunk));
    const isService = running.some(([chunk, { attempt }]) => {
      return this.#fateOf(job, chunk, attempt).isInstance === true;
    });
    for (const [, result] of results) result.sequence ??= sequence;
    const failed = results.flatMap(([chunk, { failure }]) =>
      failure === null ? [] : [[chunk, failure] as const],
    );
    return {
      done: fromChunks(results.flatMap(([chunk, it]) => (it.failure === null ? [chunk] : []))),
      failed: new Map(failed),
      running: active,
      attempts: attemptsOf([...results, ...running]),
      chunkMs: null,
      refused: null,
      ...(isService && { ready: active, ports: new Map(running.map(portOf)) }),
    };
  }
}

const portOf = ([chunk]: readonly [number, unknown]) =>
  [chunk, new Map([['http', 45_000 + chunk]])] as const;

function valueIn<T>(maps: Map<JobId, Map<number, T>>, job: JobId): Map<number, T> {
  const map = maps.get(job) ?? new Map<number, T>();
  maps.set(job, map);
  return map;
}

function attemptIn({ attempts }: WorkEntry, chunk: number): number {
  return [...attempts].find(([, set]) => has(set, chunk))?.[0] ?? 1;
}

function attemptsOf(
  chunks: readonly (readonly [number, { readonly attempt: number }])[],
): ReadonlyMap<number, RangeSet> {
  const byAttempt = new Map<number, number[]>();
  for (const [chunk, { attempt }] of chunks) {
    if (attempt > 1) byAttempt.set(attempt, [...(byAttempt.get(attempt) ?? []), chunk]);
  }
  return new Map([...byAttempt].map(([attempt, of]) => [attempt, fromChunks(of)]));
}
