import type { EngineName } from '../services/dynamodb/database.ts';

/**
 * The database engine that this run is on: `EDGEWISE_DATABASE=dynamodb-local`, or `dynoxide`. Who
 * starts a database or a local cloud asks here. Which tests belong to the engine suite, the one
 * that must pass on both, is derived from that: those that reach this file through their imports.
 */
const engines: readonly EngineName[] = ['dynoxide', 'dynamodb-local'];
const wanted = process.env.EDGEWISE_DATABASE ?? 'dynoxide';
const found = engines.find((name) => name === wanted);
if (found === undefined) throw new Error(`EDGEWISE_DATABASE takes ${engines.join(' or ')}.`);

export const engine: EngineName = found;

/** Shards of each table's stream in this run: `EDGEWISE_STREAM_SHARDS=4`, or one. */
export const streamShards = Number(process.env.EDGEWISE_STREAM_SHARDS ?? 1);

/** What tells the local cloud, and each command that starts one. */
export const engineFlags: readonly string[] = [
  ...['--database', engine],
  ...['--stream-shards', String(streamShards)],
];
