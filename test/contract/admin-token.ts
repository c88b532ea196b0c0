import { expect, test } from 'vitest';
import { adminTokenKeptMs } from '../../adapters/limits.ts';
import type { ServicesContract } from './services.ts';

let laterMs = 0;
/** Later than whatever was read before is believed. */
const freshMs = () => {
  laterMs += 2 * adminTokenKeptMs;
  return laterMs;
};

/** What every keeper of the stack's first token promises. */
export const adminTokenContract: ServicesContract = (services) => {
  test('the token is the one that the stack keeps', async () => {
    const { adminToken, rotateAdminToken } = services();
    await rotateAdminToken('first-"ä"-token');
    expect(await adminToken.read(freshMs())).toBe('first-"ä"-token');
  });

  test('a rotated token is known, and the old one forgotten, a bounded time later', async () => {
    const { adminToken, rotateAdminToken } = services();
    await rotateAdminToken('old');
    const readMs = freshMs();
    await adminToken.read(readMs);
    await rotateAdminToken('new');
    expect(await adminToken.read(readMs + adminTokenKeptMs)).toBe('new');
  });
};
