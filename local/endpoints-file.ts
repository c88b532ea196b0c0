/**
 * `<state>/endpoints.json`: how programs on this machine reach the local cloud. It appears, whole,
 * when everything is ready and goes with a clean stop.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './assembly/assembly.ts';

export type Endpoints = {
  readonly api: string;
  readonly aws: string;
  readonly region: string;
  readonly mqtt: { readonly host: string; readonly port: number; readonly ca: string };
  readonly operator: { readonly cert: string; readonly key: string; readonly clientId: string };
  /** The output `AdminToken`, with its secret's value. */
  readonly token: string | null;
  readonly outputs: Readonly<Record<string, Json>>;
  readonly pid: number;
};

export function writeEndpoints(stateDir: string, endpoints: Endpoints): void {
  const path = join(stateDir, 'endpoints.json');
  const fresh = `${path}.new`;
  writeFileSync(fresh, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

export function removeEndpoints(stateDir: string): void {
  rmSync(join(stateDir, 'endpoints.json'), { force: true });
}
