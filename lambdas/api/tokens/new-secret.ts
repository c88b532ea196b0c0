import { randomBytes } from 'node:crypto';
import { makeJobId } from '../../../core/model/names.ts';
import { hashOfSecret } from './identify-caller.ts';

/**
 * A credential just made: its public id sorts by time, its secret is 256 random bits, its hash is
 * what is stored.
 */
export type NewSecret = { readonly id: string; readonly secret: string; readonly hash: string };

export function newSecret(nowMs: number): NewSecret {
  const id = makeJobId(nowMs, randomBytes(9));
  const secret = `ew_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, secret, hash: hashOfSecret(secret) };
}
