/**
 * `<state>/endpoints.json`: how programs on this machine reach the local cloud. It appears, whole,
 * when everything is ready and goes with a clean stop. `<state>/aws-config` says the same to AWS's
 * own tools, as a profile of the name `local`.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './assembly/assembly.ts';

export type Endpoints = {
  readonly api: string;
  readonly aws: string;
  readonly region: string;
  /** The key that may do everything on `aws`; no other is known there but those of functions. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly mqtt: { readonly host: string; readonly port: number; readonly ca: string };
  readonly operator: { readonly cert: string; readonly key: string; readonly clientId: string };
  /** The output `AdminToken`, with its secret's value. */
  readonly token: string | null;
  readonly outputs: Readonly<Record<string, Json>>;
  readonly pid: number;
};

const names = { endpoints: 'endpoints.json', awsConfig: 'aws-config' } as const;

export function writeEndpoints(stateDir: string, endpoints: Endpoints): void {
  replace(join(stateDir, names.awsConfig), awsConfig(endpoints));
  replace(join(stateDir, names.endpoints), `${JSON.stringify(endpoints, null, 2)}\n`);
}

export function removeEndpoints(stateDir: string): void {
  for (const name of Object.values(names)) rmSync(join(stateDir, name), { force: true });
}

function replace(path: string, text: string): void {
  const fresh = `${path}.new`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, path);
}

function awsConfig({ aws, region, credentials }: Endpoints): string {
  const lines = [
    '[profile local]',
    `region = ${region}`,
    `endpoint_url = ${aws}`,
    `aws_access_key_id = ${credentials.accessKeyId}`,
    `aws_secret_access_key = ${credentials.secretAccessKey}`,
  ];
  return `${lines.join('\n')}\n`;
}
