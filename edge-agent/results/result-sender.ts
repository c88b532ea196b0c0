import { join } from 'node:path';
import { fileAddressesMax } from '../../core/files/limits.ts';
import { executorOf } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import {
  type ChunkDirectories,
  type DirectoryOwner,
  mountName,
  type TakenDirectory,
} from '../chunk-directory/chunk-directories.ts';
import { type ChunkName, keyOf } from '../executors/executor.ts';
import { type Clock, sleep } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import { makeBackoff } from '../link/backoff.ts';
import type { ControlPlaneApi, PutAddress } from '../link/control-plane-api.ts';
import { type Limiter, makeLimiter } from '../link/limiter.ts';
import { type Collected, collectResults, type ResultSource } from './collect-results.ts';
import {
  changesMax,
  chunksSentAtOnce,
  sendRetryMsMax,
  sendRetryMsMin,
  uploadsAtOnce,
} from './limits.ts';
import { ownPatternsOf } from './own-patterns.ts';
import { putFile, type Upload } from './put-file.ts';
import { sendFile } from './read-file.ts';
import { ResultFault } from './result-fault.ts';
import { storeInParts } from './store-in-parts.ts';

/**
 * Sends what chunks left that have ended: the files, each content once, then their list, and then
 * says so. Whatever is in the way is tried again for as long as somebody wants it; the directory of
 * the chunk is held until then. Only what the chunk itself left amiss is an end.
 */
export type ResultSender = {
  /** Asked again while it is under way, it is asked once. */
  send(wanted: WantedResults, ended: (outcome: SendOutcome) => void): void;
  /** Nobody wants them any more. */
  drop(name: ChunkName): void;
};

export type WantedResults = {
  readonly name: ChunkName;
  readonly spec: AgentSpec;
  /** Whether the attempt was done, or failed. */
  readonly isDone: boolean;
  readonly secret: () => string;
};

/** `gone`: its directory is not there, and nobody knows what was in it. */
export type SendOutcome = 'safe' | 'gone' | { readonly failure: string };

export type SenderDeps = {
  readonly api: Pick<ControlPlaneApi, 'storeResults' | 'putResult' | 'getParameters'>;
  readonly directories: Pick<ChunkDirectories, 'take'>;
  readonly owner: DirectoryOwner | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: Log;
};

/** The store did not take the bytes that were read before. */
class OtherBytes extends Error {}

export function openResultSender(deps: SenderDeps): ResultSender {
  const { clock, directories, log } = deps;
  const underWay = new Map<string, AbortController>();
  const turn = makeLimiter(chunksSentAtOnce);
  const files = makeLimiter(uploadsAtOnce);

  const run = async (
    wanted: WantedResults,
    root: string,
    signal: AbortSignal,
  ): Promise<SendOutcome | null> => {
    const backoff = makeBackoff(sendRetryMsMin, sendRetryMsMax);
    let collected: Collected | null = null;
    let paths: readonly string[] | null = null;
    let said = '';
    let contents = '';
    for (let changes = 0; !signal.aborted; ) {
      try {
        paths ??= await ownPatternsOf(wanted.name, wanted.spec, wanted.secret, deps.api);
        const outputs = { ...wanted.spec.outputs!, paths };
        collected ??= await collectResults(root, outputs, deps.owner, signal);
        if (contents !== '' && contents !== collected.manifest.sha256) changes += 1;
        contents = collected.manifest.sha256;
        await store(deps.api, files, wanted, root, collected, signal);
        return 'safe';
      } catch (error) {
        if (error instanceof ResultFault) return { failure: error.failure };
        if (error instanceof OtherBytes) {
          // Where nothing has changed, the way to the store has.
          if (changes >= changesMax) return { failure: new ResultFault(error.message).failure };
          collected = null;
        }
        const reason = (error as Error).message;
        if (!signal.aborted && reason !== said)
          log(`Results of ${named(wanted)}: ${reason}`, 'warning');
        said = reason;
      }
      await sleep(clock, backoff.next(), signal);
    }
    return null;
  };

  return {
    send(wanted, ended) {
      const key = keyOf(wanted.name);
      // Who stops in order goes on with it in the next life.
      if (underWay.has(key) || deps.signal.aborted) return;
      const dropped = new AbortController();
      underWay.set(key, dropped);
      const isSimulated = executorOf(wanted.spec.run) === 'simulate';
      const taken = directories.take(wanted.name);
      const signal = AbortSignal.any([deps.signal, dropped.signal]);
      const outcome = async (): Promise<SendOutcome | null> => {
        if (isSimulated || !leavesResults(wanted)) return 'safe';
        if (taken === null) return 'gone';
        return turn(() => run(wanted, rootOf(wanted.spec, taken), signal));
      };
      void outcome().then((end) => {
        underWay.delete(key);
        if (end !== null && !dropped.signal.aborted) ended(end);
        if (end !== null || dropped.signal.aborted) release(taken, wanted, end);
      });
    },
    drop: (name) => underWay.get(keyOf(name))?.abort(),
  };
}

const named = ({ name: { job, chunk } }: WantedResults): string => `chunk ${chunk} of ${job}`;

function release(
  taken: TakenDirectory | null,
  { isDone }: WantedResults,
  end: SendOutcome | null,
): void {
  taken?.release(!isDone || (end !== null && typeof end === 'object'));
}

function rootOf(spec: AgentSpec, { path }: TakenDirectory): string {
  const executor = executorOf(spec.run);
  return executor === 'container' || executor === 'pod' ? join(path, mountName) : path;
}

async function store(
  api: SenderDeps['api'],
  files: Limiter,
  { name, isDone, secret }: WantedResults,
  root: string,
  { sources, manifest, ...sums }: Collected,
  signal: AbortSignal,
): Promise<void> {
  const list = { sha256: manifest.sha256, bytes: manifest.text.length };
  const put = async (address: PutAddress, of: string, bytes: number, read: Upload['read']) => {
    const status = await putFile({ ...address, bytes, read }, signal);
    if (status === 200) return;
    if (status === 400) throw new OtherBytes(`${of} changes while it is read`);
    throw new Error(`the store answers ${status}`);
  };
  const putSome = (source: ResultSource, address: PutAddress, start: number, bytes: number) =>
    files(() => {
      const read: Upload['read'] = (take) => sendFile(root, source.from, { start, bytes }, take);
      return put(address, source.from, bytes, read);
    });
  const [large, small] = [sources.filter(isInParts), sources.filter((one) => !isInParts(one))];
  for (let at = 0; at < small.length; at += fileAddressesMax) {
    const some = small.slice(at, at + fileAddressesMax);
    const addresses = await addressesOf(api, name, secret(), some);
    const absent = some.filter(({ sha256 }) => addresses.has(sha256));
    const ends = await Promise.allSettled(
      absent.map((source) => putSome(source, addresses.get(source.sha256)!, 0, source.bytes)),
    );
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  for (const { from, ...file } of large) {
    const ask = async () => (await api.storeResults(secret(), name.job, [file]))[0];
    await storeInParts(file.bytes, ask, (...place) => putSome({ from, ...file }, ...place));
  }
  const address = (await addressesOf(api, name, secret(), [list])).get(list.sha256);
  if (address !== undefined) {
    await put(address, 'a list', list.bytes, async (take) => {
      await take(manifest.text);
      return list.bytes;
    });
  }
  const { job, chunk, attempt } = name;
  const place = { job, chunk };
  await api.putResult(secret(), place, { manifest: list.sha256, ...sums, attempt, done: isDone });
}

const isInParts = ({ parts }: ResultSource): boolean => parts !== undefined;

/** Of those that have to be sent. */
async function addressesOf(
  api: SenderDeps['api'],
  { job }: ChunkName,
  secret: string,
  files: readonly { readonly sha256: string; readonly bytes: number }[],
): Promise<Map<string, PutAddress>> {
  const wanted = files.map(({ sha256, bytes }) => ({ sha256, bytes }));
  const answer = await api.storeResults(secret, job, wanted);
  const known = new Set(answer.map(({ sha256 }) => sha256));
  const [lost] = wanted.filter(({ sha256 }) => !known.has(sha256));
  if (lost !== undefined) throw new Error('the API does not say where to put a file');
  return new Map(
    answer.flatMap(({ sha256, address }) =>
      address === null || 'parts' in address ? [] : [[sha256, address]],
    ),
  );
}

/** A chunk that outlived its agent ends before its spec is known again: only then it is clear. */
function leavesResults({ spec: { outputs }, isDone }: WantedResults): boolean {
  return outputs !== undefined && (outputs.on === 'always' || isDone);
}
