import { createPublicKey, type KeyObject } from 'node:crypto';
import { isRecord } from '../../core/protocol/json.ts';

/** Keys of people whom an owner trusts, as they stand in the policy file. */
export class SignerError extends Error {}

/** The beginning of an Ed25519 key in DER (RFC 8410); 32 bytes follow. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const keyBytes = 32;
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/** Names, which are for people, with public keys as `edgewise sign` prints them; by these. */
export function parsePublicKeys(named: unknown, where: string): ReadonlyMap<string, KeyObject> {
  if (!isRecord(named)) throw new SignerError(`"${where}" is not an object of names with keys`);
  const keys = new Map<string, KeyObject>();
  for (const [name, text] of Object.entries(named)) {
    const key = typeof text === 'string' ? publicKeyOf(text) : null;
    if (key === null) throw new SignerError(`"${where}.${name}" is no public key of edgewise sign`);
    keys.set(text as string, key);
  }
  return keys;
}

function publicKeyOf(text: string): KeyObject | null {
  if (!keyPattern.test(text)) return null;
  const raw = Buffer.from(text, 'base64url');
  if (raw.length !== keyBytes || raw.toString('base64url') !== text) return null;
  return createPublicKey({ key: Buffer.concat([derPrefix, raw]), format: 'der', type: 'spki' });
}

/** As it stands in a policy file. */
export function formatPublicKey(key: KeyObject): string {
  return key
    .export({ format: 'der', type: 'spki' })
    .subarray(derPrefix.length)
    .toString('base64url');
}
