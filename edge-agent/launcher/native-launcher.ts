import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveBacklogBytesMax, livePartBytesMax } from '../../core/live/limits.ts';
import { outputHeadBytesMax } from '../../core/model/limits.ts';
import {
  characterBytesMax,
  cutTriesMax,
  goneCheckMsMax,
  goneCheckMsMin,
  launcherFailureBytesMax,
  launcherFrameBytesMax,
  launcherPlacesMax,
  orphanGraceMs,
  outputFileBytesMax,
  outputWatchMs,
  strayCheckMs,
  unclaimedEndsKeptMs,
} from '../limits.ts';
import {
  type LauncherPlace,
  launcherProtocol,
  wholeDirectoryName,
  wholeErrorsWord,
} from './launcher-protocol.ts';
import { nativeSource } from './native-source.ts';
import { workshopOf } from './shared-launcher.ts';

/**
 * The launcher as it should be: C, compiled in memory by the runtime that this program runs under,
 * and then a fork of it that has nothing of it left. So it is as large as what it does, and
 * starting a process copies nothing.
 *
 * Throws where that cannot be done; then the launcher of `launcher-program.ts` takes its place.
 */
export async function startNativeLauncher(place: LauncherPlace): Promise<void> {
  const begin = await compile(workshopOf(place));
  const [socketPath, directory] = [zeroEnded(place.socketPath), zeroEnded(place.directory)];
  if (begin(socketPath, directory) < 0) throw new Error('its socket is taken');
}

/** Nothing of it is left on disk. */
async function compile(workshop: string): Promise<Begin> {
  mkdirSync(workshop, { recursive: true, mode: 0o700 });
  try {
    const { cc } = await loadCompiler();
    // It reads from a file, and knows by the file's name what is in it.
    const source = join(workshop, 'launcher.c');
    writeFileSync(source, nativeSource);
    return cc({ source, define: limitsForC(), symbols: { begin: beginTypes } }).symbols.begin;
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

const beginTypes = { args: ['ptr', 'ptr'], returns: 'int' } as const;

type Compiler = {
  cc(program: {
    readonly source: string;
    readonly define: Readonly<Record<string, string>>;
    readonly symbols: { readonly begin: typeof beginTypes };
  }): { readonly symbols: { readonly begin: Begin } };
};

type Begin = (socketPath: Buffer, directory: Buffer) => number;

/** Only one runtime has it, so that its name is nothing that others may look up. */
function loadCompiler(): Promise<Compiler> {
  const name = 'bun:ffi';
  return import(name) as Promise<Compiler>;
}

function limitsForC(): Record<string, string> {
  const limits = {
    CHARACTER_BYTES_MAX: characterBytesMax,
    CUT_TRIES_MAX: cutTriesMax,
    FAILURE_BYTES_MAX: launcherFailureBytesMax,
    FOLLOWED_BYTES_MAX: liveBacklogBytesMax,
    FRAME_BYTES_MAX: launcherFrameBytesMax,
    GONE_CHECK_MS_MAX: goneCheckMsMax,
    GONE_CHECK_MS_MIN: goneCheckMsMin,
    HOUSES_MAX: launcherPlacesMax,
    LAUNCHER_PROTOCOL: launcherProtocol,
    LOOK_BYTES_MAX: livePartBytesMax,
    ORPHAN_GRACE_MS: orphanGraceMs,
    OUTPUT_FILE_BYTES_MAX: outputFileBytesMax,
    OUTPUT_HEAD_BYTES_MAX: outputHeadBytesMax,
    OUTPUT_WATCH_MS: outputWatchMs,
    STRAY_CHECK_MS: strayCheckMs,
    UNCLAIMED_ENDS_KEPT_MS: unclaimedEndsKeptMs,
    WHOLE_DIRECTORY: `"${wholeDirectoryName}"`,
    WHOLE_ERRORS: `"${wholeErrorsWord}"`,
  };
  return Object.fromEntries(Object.entries(limits).map(([name, one]) => [name, String(one)]));
}

function zeroEnded(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
