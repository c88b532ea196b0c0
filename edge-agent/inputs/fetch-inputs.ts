import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileAddressesMax, manifestBytesMax } from '../../core/files/limits.ts';
import { type Manifest, parseManifest } from '../../core/files/manifest.ts';
import type { JobInput } from '../../core/model/job.ts';
import type { JobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { readJson } from '../disk/data-directory.ts';
import type { Clock } from '../host/clock.ts';
import { downloadsAtOnce } from '../limits.ts';
import { type ControlPlaneApi, ControlPlaneError } from '../link/control-plane-api.ts';
import { makeLimiter } from '../link/limiter.ts';
import { download } from './download.ts';
import type { FileCache } from './file-cache.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { InputFault } from './input-fault.ts';
import { digestsOf, type InputTree, treeOf } from './input-tree.ts';
import { chunkOfKey } from './own-inputs.ts';
import { type UnpackInto, unpackArchive } from './unpack-archive.ts';

/**
 * Brings the inputs of a job into the cache, and says what they come to; rejects with an
 * `InputFault`, after which it can be asked again and goes on where it was. The control plane is
 * asked for every file of the job, also for one that is here: what another job brought is not this
 * one's to read.
 */
export type InputFetcher = (
  wanted: WantedInputs,
  /** Hears which files the job is known to need: from then on they are in use. */
  note: (digests: ReadonlySet<string>) => void,
) => Promise<InputTree>;

export type WantedInputs = {
  readonly job: JobId;
  readonly spec: AgentSpec;
  readonly secret: () => string;
};

export function makeInputFetcher(deps: {
  readonly api: Pick<ControlPlaneApi, 'findAddresses'>;
  readonly cache: FileCache;
  /** For what is not stored by the control plane. */
  readonly fetchElsewhere: GuardedFetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): InputFetcher {
  const { cache, clock, signal, fetchElsewhere } = deps;
  const underWay = new Map<string, Promise<void>>();
  const turn = makeLimiter(downloadsAtOnce);

  /** Each file once at a time, whoever waits for it; `part` is the way by which it comes. */
  const bring = (
    digest: string,
    url: string,
    part = digest,
    more: { readonly fetchOf?: GuardedFetch } = {},
  ): Promise<void> => {
    const before = underWay.get(part);
    if (before !== undefined) return before;
    const path = cache.partial(part);
    const makeRoom = (bytes: number): boolean => cache.makeRoom(bytes);
    const brought = turn(() => download({ url, digest, path, makeRoom, clock, signal, ...more }))
      .then(() => cache.admit(digest, part))
      .finally(() => underWay.delete(part));
    underWay.set(part, brought);
    return brought;
  };

  const cameFrom = new Set<string>();

  /**
   * A digest alone is no way to what another job brought: a file counts as fetched when it came
   * from this very address in the life of this agent.
   */
  const bringElsewhere = async (inputs: readonly JobInput[]): Promise<void> => {
    for (const { sha256: digest, url } of inputs) {
      if (digest === undefined || url === undefined) continue;
      const way = createHash('sha256').update(url).digest('hex').slice(0, 16);
      const part = `${digest}-${way}`;
      if (cameFrom.has(part) && (await cache.find(digest)) !== null) continue;
      await bring(digest, url, part, { fetchOf: fetchElsewhere });
      cameFrom.add(part);
    }
  };

  const bringAll = async (wanted: WantedInputs, digests: readonly string[]): Promise<void> => {
    for (let at = 0; at < digests.length; at += fileAddressesMax) {
      const some = digests.slice(at, at + fileAddressesMax);
      const { addresses, missing } = await addressesOf(deps.api, wanted, some);
      const [gone] = missing;
      if (gone !== undefined) throw new InputFault('input-missing', `${gone} is not stored`);
      const absent: string[] = [];
      // One after the other: some are read through.
      for (const digest of some) if ((await cache.find(digest)) === null) absent.push(digest);
      const ends = await Promise.allSettled(
        absent.map((digest) => bring(digest, addresses.get(digest) ?? '')),
      );
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  };

  return async (wanted, note) => {
    const { inputs = [] } = wanted.spec;
    const elsewhere = new Set(digestsOf(inputs.filter(({ url }) => url !== undefined)));
    const named = [...new Set(digestsOf(inputs.filter(({ url }) => url === undefined)))];
    note(new Set([...named, ...elsewhere]));
    await bringAll(wanted, named);
    await bringElsewhere(inputs);
    // What an archive holds is in use as soon as it is unpacked, and is asked for nowhere.
    const here = new Set([...named, ...elsewhere]);
    note(here);
    const unpacked = await unpackAll(inputs, { cache, signal, note: (digest) => here.add(digest) });
    const tree = treeOf(inputs, new Map([...readManifests(wanted.spec, cache), ...unpacked]));
    note(new Set([...here, ...tree.files.map(({ digest }) => digest)]));
    await bringAll(wanted, inTrees(tree, here));
    return tree;
  };
}

function readManifests(spec: AgentSpec, cache: FileCache): ReadonlyMap<string, Manifest> {
  const manifests = new Map<string, Manifest>();
  for (const { manifest } of spec.inputs ?? []) {
    if (manifest === undefined) continue;
    const path = cache.intact(manifest);
    if (path === null) throw new InputFault('input-missing', `${manifest} has gone`);
    const isLarge = statSync(path).size > manifestBytesMax;
    const tree = isLarge ? 'it is too large' : parseManifest(readJson(path));
    if (typeof tree === 'string') throw new InputFault('input-corrupt', `a list: ${tree}`);
    manifests.set(manifest, tree);
  }
  return manifests;
}

async function unpackAll(
  inputs: readonly JobInput[],
  into: UnpackInto & { readonly cache: Pick<FileCache, 'intact'> },
): Promise<ReadonlyMap<string, Manifest>> {
  const trees = new Map<string, Manifest>();
  for (const { sha256: digest, unpack } of inputs) {
    if (unpack === undefined || digest === undefined || trees.has(digest)) continue;
    const path = into.cache.intact(digest);
    if (path === null) throw new InputFault('input-missing', `${digest} has gone`);
    trees.set(digest, await unpackArchive(path, into));
  }
  return trees;
}

/** What is left to bring once the trees are known. */
function inTrees({ files }: InputTree, here: ReadonlySet<string>): string[] {
  const digests = new Set(files.map(({ digest }) => digest));
  return [...digests].filter((digest) => !here.has(digest));
}

async function addressesOf(
  api: Pick<ControlPlaneApi, 'findAddresses'>,
  { job, spec, secret }: WantedInputs,
  digests: readonly string[],
) {
  const answer = await api.findAddresses(secret(), job, digests, chunkOfKey(spec.hash));
  const addresses = new Map(answer.items.map(({ sha256, url }) => [sha256, url]));
  return { addresses, missing: digests.filter((digest) => !addresses.has(digest)) };
}

export function inputFaultOf(error: unknown): InputFault {
  if (error instanceof InputFault) return error;
  if (error instanceof ControlPlaneError && !error.isTemporary) {
    return new InputFault('input-missing', `the API refuses: ${error.code}`);
  }
  const code = (error as { code?: string }).code ?? '';
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  if (isFull) return new InputFault('no-free-disk', 'the disk is full');
  return new InputFault('input-unreachable', 'the API is not reached');
}
