import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Api } from './api.ts';

type SettingsRecord = Record<string, unknown>;

/**
 * Changes some settings of a pool or a queue. PUT replaces, so what is not mentioned is kept from
 * what is there; one that is not there yet begins with the API's defaults.
 */
export async function changeSettings(
  api: Api,
  path: string,
  settable: readonly string[],
  change: SettingsRecord,
): Promise<SettingsRecord> {
  const before = await readSettings(api, path);
  const kept = Object.entries(before).filter(([name]) => settable.includes(name));
  const body = { ...Object.fromEntries(kept), ...change };
  return (await api.ask<SettingsRecord>('PUT', path, { body })).body;
}

async function readSettings(api: Api, path: string): Promise<SettingsRecord> {
  try {
    return await api.get<SettingsRecord>(path);
  } catch (error) {
    if (error instanceof Failure && error.code === exitCode.notFound) return {};
    throw error;
  }
}
