/** Which reserved topics are requests to the Device Shadow service. Topics are case sensitive. */
import { shadowNamePattern, thingNamePattern } from '../limits.ts';
import type { ShadowRequest } from './service.ts';

const operations: readonly ShadowRequest['operation'][] = ['get', 'update', 'delete'];

export function shadowRequestOf(topic: string, payload: Uint8Array): ShadowRequest | undefined {
  const levels = topic.split('/');
  if (levels[0] !== '$aws' || levels[1] !== 'things' || levels[3] !== 'shadow') return undefined;
  const thing = levels[2] ?? '';
  if (!thingNamePattern.test(thing)) return undefined;
  const named = levels[4] === 'name';
  const name = levels[5] ?? '';
  if (named && !shadowNamePattern.test(name)) return undefined;
  if (levels.length !== (named ? 7 : 5)) return undefined;
  const operation = operations.find((known) => known === levels[named ? 6 : 4]);
  if (operation === undefined) return undefined;
  return { operation, thing, ...(named ? { name } : {}), payload, source: 'mqtt' };
}
