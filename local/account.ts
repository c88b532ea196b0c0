/**
 * The account that the local cloud plays: its number, region and how names and ARNs are made in it.
 * The number is fixed because the queue and bucket stand-in knows no other.
 */
import { createHash } from 'node:crypto';

export const accountId = '000000000000';
export const partition = 'aws';
export const urlSuffix = 'amazonaws.com';

export type Account = {
  readonly region: string;
  readonly stack: string;
};

/** `arn:aws:<service>:<region>:<account>:<resource>`. */
export function arnOf(account: Account, service: string, resource: string): string {
  return `arn:${partition}:${service}:${account.region}:${accountId}:${resource}`;
}

/** ARN of a service without regions (IAM). */
export function globalArnOf(service: string, resource: string): string {
  return `arn:${partition}:${service}::${accountId}:${resource}`;
}

/**
 * CloudFormation names a resource `<stack>-<logical id>-<random>`, shortened from the left parts.
 * Here the last part is a hash, so that the same template finds its data again after a restart.
 */
export function physicalName(account: Account, logicalId: string, lengthMax: number): string {
  const hash = stableToken(`${account.stack}/${logicalId}`, 12);
  const head = `${account.stack}-${logicalId}`.slice(0, lengthMax - hash.length - 1);
  return `${head}-${hash}`;
}

/** Upper-case letters and digits derived from a text: the same text gives the same token. */
export function stableToken(text: string, length: number): string {
  const digest = createHash('sha256').update(text).digest();
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return Array.from(digest.subarray(0, length), (byte) => alphabet[byte % 32]).join('');
}

/** A UUID derived from a text. */
export function stableUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = `a${hex.slice(17, 20)}`;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant,
    hex.slice(20, 32),
  ].join('-');
}
