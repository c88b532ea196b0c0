import { ProblemError } from '../../../core/contract/problem.ts';
import { graphStreamPlaceMs, graphStreamsPerTokenMax } from '../../../core/events/limits.ts';
import { type Caller, nameOfCaller } from '../../../core/model/caller.ts';
import { ownsPlaces } from '../../../core/ports/idempotency.ts';
import type { Ports } from '../ports.ts';

/**
 * A place for one more subscription of a token; gives what gives it back. Functions do not know of
 * each other: a place is a key that is claimed as requests claim theirs, and given up by who hung.
 */
export async function takePlace(
  caller: Caller,
  { idempotency, random, clock }: Pick<Ports, 'idempotency' | 'random' | 'clock'>,
): Promise<() => Promise<void>> {
  const [begin = 0, ...mark] = random.bytes(17);
  const digest = Buffer.from(mark).toString('hex');
  const owner = placesOf(caller);
  for (let at = 0; at < graphStreamsPerTokenMax; at++) {
    const key = String((begin + at) % graphStreamsPerTokenMax);
    const place = { owner, key, digest };
    if (await idempotency.claim(place, clock.nowMs(), graphStreamPlaceMs)) {
      return () => idempotency.release(place);
    }
  }
  const most = `A token has at most ${graphStreamsPerTokenMax} subscriptions at once`;
  throw new ProblemError('too-many-requests', `${most}; end one, or wait for two minutes.`, {
    headers: { 'retry-after': String(graphStreamPlaceMs / 1_000) },
  });
}

const placesOf = (caller: Caller): string => `${ownsPlaces}${nameOfCaller(caller)}`;
