/** Flags of the scripts that must run before anything is installed. */
import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf, root, Stop } from '../repository.mjs';
import { defaults } from './local-cloud.mjs';
import { firstStage } from './synthesis.mjs';

/** @import { ParseArgsConfig } from 'node:util' */

export const cloudOptions = /** @type {const} */ ({
  'port-base': { type: 'string' },
  state: { type: 'string' },
  database: { type: 'string' },
  stage: { type: 'string' },
  'stream-shards': { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  parameter: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
});

/**
 * @typedef {{
 *   'port-base'?: string,
 *   state?: string,
 *   database?: string,
 *   stage?: string,
 *   'stream-shards'?: string,
 *   'allow-host'?: string[],
 *   parameter?: string[],
 * }} CloudValues
 */
/**
 * @typedef {{
 *   portBase: number,
 *   state: string,
 *   database: string | undefined,
 *   stage: string,
 *   streamShards: number | undefined,
 *   allowedHosts: string[],
 *   parameters: string[],
 * }} CloudFlags
 */

/**
 * @template {ParseArgsConfig['options'] & {}} O
 * @param {O} options
 * @param {string} usage
 */
export function readFlags(options, usage) {
  try {
    return parseArgs({ args: process.argv.slice(2), options, allowPositionals: false }).values;
  } catch (error) {
    throw new Stop(`${messageOf(error).split('. ')[0]}.\n${usage}`);
  }
}

/**
 * @param {CloudValues} values
 * @returns {CloudFlags}
 */
export function readCloudFlags(values) {
  const state = values.state ?? defaults.state;
  return {
    portBase: readNumber(values['port-base'], 'port-base', 1_024, 65_000) ?? defaults.portBase,
    state: isAbsolute(state)
      ? state
      : join(values.state === undefined ? root : process.cwd(), state),
    database: values.database,
    stage: values.stage ?? firstStage,
    streamShards: readNumber(values['stream-shards'], 'stream-shards', 1, 16),
    allowedHosts: values['allow-host'] ?? [],
    parameters: values.parameter ?? [],
  };
}

/**
 * @param {string | undefined} text
 * @param {string} name
 * @param {number} min
 * @param {number} max
 */
export function readNumber(text, name, min, max) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Stop(`--${name} is a whole number from ${min} to ${max}, not "${text}".`);
}
