import type { DataDirectory } from '../disk/data-directory.ts';
import { type OutputStore, openOutputStore } from '../disk/output-store.ts';
import type { Clock } from '../host/clock.ts';
import type { ControlPlaneApi } from '../link/control-plane-api.ts';
import { sendWholeOutput } from '../results/send-whole-output.ts';

/** The outputs that are kept, with what sends those that are kept whole. */
export function openOutputs(deps: {
  readonly directory: DataDirectory;
  readonly api: ControlPlaneApi;
  readonly clock: Clock;
  readonly secretOf: (edge: string) => string | null;
  readonly signal: AbortSignal;
}): OutputStore {
  const { directory, api, signal } = deps;
  return openOutputStore({
    ...deps,
    directory: directory.outputs,
    printed: directory.printed,
    sendWhole: (path, place, secret) => sendWholeOutput(path, place, { api, secret, signal }),
  });
}
