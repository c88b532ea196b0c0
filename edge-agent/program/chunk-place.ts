import { statfsSync } from 'node:fs';
import { faultOfReceiver } from '../../core/webhooks/receiver-address.ts';
import {
  type ChunkDirectories,
  openChunkDirectories,
} from '../chunk-directory/chunk-directories.ts';
import { type DiskRoom, makeDiskRoom } from '../chunk-directory/disk-room.ts';
import { openKeptDirectories } from '../chunk-directory/kept-directories.ts';
import { makeTreeRemover } from '../chunk-directory/tree-remover.ts';
import type { DataDirectory } from '../disk/data-directory.ts';
import { openParameterStore } from '../disk/parameter-store.ts';
import { openClusterDirectory } from '../executors/cluster-files.ts';
import type { Clock } from '../host/clock.ts';
import { makeRunCommand } from '../host/command.ts';
import type { Host } from '../host/host-inspection.ts';
import type { Isolation } from '../host/isolation.ts';
import { allowsHost, namesHost, type PolicyFile } from '../host/policy.ts';
import { type FileCache, openFileCache } from '../inputs/file-cache.ts';
import { makeGuardedFetch } from '../inputs/guarded-fetch.ts';
import { type HeldInputs, openHeldInputs } from '../inputs/held-inputs.ts';
import { type InputLibrary, openInputLibrary } from '../inputs/input-library.ts';
import { openParameterLibrary, type ParameterLibrary } from '../inputs/parameter-library.ts';
import { placeInputs } from '../inputs/place-inputs.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import { cacheShare } from '../limits.ts';
import type { ControlPlaneApi } from '../link/control-plane-api.ts';
import { openResultSender, type ResultSender } from '../results/result-sender.ts';
import type { AgentOptions } from './agent-options.ts';

/** Where chunks run: their directories, and whether there is room for more. */
export type ChunkPlace = {
  readonly directories: ChunkDirectories;
  readonly room: DiskRoom;
  readonly inputs: InputLibrary;
  readonly parameters: ParameterLibrary;
  /** Sends what chunks leave. */
  readonly results: ResultSender;
  readonly cacheBytes: number;
  /** Which inputs are here, for the facts. */
  readonly held: Pick<HeldInputs, 'text'>;
};

export function openChunkPlace(deps: {
  readonly directory: DataDirectory;
  readonly isolation: Isolation;
  readonly host: Host;
  readonly launcher: Launcher;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly api: ControlPlaneApi;
  readonly signal: AbortSignal;
  /** `cacheBytes`: what files of jobs may take; `null`: a part of the disk. */
  readonly options: Pick<AgentOptions, 'cacheBytes' | 'api'>;
  readonly policy: Pick<PolicyFile, 'current'>;
}): ChunkPlace {
  const { directory, isolation, host, launcher, log } = deps;
  const owner = isolation.kind === 'user' ? isolation : null;
  const isRootless = host.containerEngine === 'podman' && process.getuid?.() !== 0;
  const runCommand = makeRunCommand(launcher);
  const remover = makeTreeRemover({
    asChunkUser:
      owner === null ? null : { uid: owner.uid, run: makeRunCommand(launcher, owner.wrapper) },
    amongContainerUsers: isRootless ? (argv) => runCommand(['podman', 'unshare', ...argv]) : null,
    log,
  });
  const room = makeDiskRoom(directory.chunks, deps.clock);
  const cacheBytes = deps.options.cacheBytes ?? shareOfDisk(directory.cache);
  const { cache, inputs, held } = openInputs({ ...deps, cacheBytes });
  const directories = openChunkDirectories({
    root: directory.chunks,
    owner,
    remover,
    kept: openKeptDirectories({ root: directory.kept, remover, log }),
    fill(order, path, reader) {
      if (order.spec.inputs === undefined) return true;
      const tree = inputs.ready(order.job, order.spec);
      if (tree === null) return false;
      const pathOf = (digest: string): string => cache.intact(digest) ?? '';
      placeInputs(tree, path, { pathOf, owner, isForAll: reader === 'container' });
      return true;
    },
    refused: room.failed,
  });
  openClusterDirectory(directory.cluster, owner);
  const parameters = openParameterLibrary({ ...deps, store: openParameterStore(directory.edge) });
  const results = openResultSender({ ...deps, directories, owner });
  return { directories, room, inputs, parameters, results, cacheBytes, held };
}

function openInputs(deps: {
  readonly directory: DataDirectory;
  readonly clock: Clock;
  readonly api: ControlPlaneApi;
  readonly signal: AbortSignal;
  readonly cacheBytes: number;
  readonly options: Pick<AgentOptions, 'api'>;
  readonly policy: Pick<PolicyFile, 'current'>;
}): { readonly cache: FileCache; readonly inputs: InputLibrary; readonly held: HeldInputs } {
  const directory = deps.directory.cache;
  const bytesMax = deps.cacheBytes;
  const isInUse = (digest: string): boolean => inputs.isInUse(digest);
  const cache = openFileCache({ directory, bytesMax, isInUse });
  const held = openHeldInputs(cache.has);
  const { policy } = deps;
  // Where everything runs on one machine, another program of it is what others have elsewhere.
  const isBesideCloud = isLoopback(deps.options.api);
  const fetchElsewhere = makeGuardedFetch({
    isAllowed: (host) => allowsHost(policy.current(), host),
    allowsLoopback: (host) => isBesideCloud || namesHost(policy.current(), host),
  });
  const inputs: InputLibrary = openInputLibrary({ ...deps, cache, held, fetchElsewhere });
  return { cache, inputs, held };
}

function isLoopback(api: string): boolean {
  return faultOfReceiver(api, true) === null && faultOfReceiver(api, false) !== null;
}

function shareOfDisk(path: string): number {
  const { blocks, bsize } = statfsSync(path);
  return Math.floor(blocks * bsize * cacheShare);
}
