import type { KeyObject } from 'node:crypto';
import { isRecord } from '../../core/protocol/json.ts';
import { parsePublicKeys, SignerError } from '../host/public-key.ts';

/**
 * Where this machine's owner lets its agent come from, and whose signature makes a release one. It
 * stands in the policy file; without it nothing is ever replaced.
 */
export type UpdatesRule = {
  /** Of the directory that has `manifest.json`; with a slash at its end. */
  readonly from: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
};

const known = ['from', 'signers'];

export function parseUpdates(value: unknown): UpdatesRule {
  if (!isRecord(value)) throw new SignerError('"updates" is not an object');
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined) throw new SignerError(`"updates.${stranger}" is not a rule`);
  const keys = parsePublicKeys(value.signers, 'updates.signers');
  if (keys.size === 0) throw new SignerError('"updates.signers" names nobody');
  const { from } = value;
  const url = typeof from === 'string' && URL.canParse(from) ? new URL(from) : null;
  if (url === null || !isSafe(url)) {
    throw new SignerError('"updates.from" is no address that begins with https://');
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return { from: url.href, keys };
}

/** Plain HTTP would say to everybody between which release this machine has. */
function isSafe({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
