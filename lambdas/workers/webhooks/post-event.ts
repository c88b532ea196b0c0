import { lookup as lookUpName } from 'node:dns';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  addressesMax,
  deliveryErrorLengthMax,
  deliveryTimeoutMs,
} from '../../../core/webhooks/limits.ts';
import { faultOfReceiver, isAllowedAddress } from '../../../core/webhooks/receiver-address.ts';

/** What came of it: a status, or why there was none. */
export type Posted = { readonly status: number | null; readonly error: string | null };

export type PostEvent = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<Posted>;

export type PostEventDeps = {
  readonly allowsLoopback: boolean;
  /** How names become addresses; as the host does it by default. */
  readonly lookUp?: typeof lookUpName;
};

/**
 * One request, to an address that is looked at again when its name is known: a name may lead
 * elsewhere than it did when it was given. Nothing of the answer but its status is read, and no
 * redirection is followed.
 */
export function makePostEvent(deps: PostEventDeps): PostEvent {
  const lookup = guardedLookup(deps);
  return (url, headers, body) => {
    const fault = faultOfReceiver(url, deps.allowsLoopback);
    if (fault !== null) return Promise.resolve({ status: null, error: fault });
    return new Promise((resolve) => {
      const request = url.startsWith('https:') ? requestSecure : requestPlain;
      const size = { 'content-length': String(Buffer.byteLength(body)) };
      const signal = AbortSignal.timeout(deliveryTimeoutMs);
      const options = { method: 'POST', headers: { ...headers, ...size }, agent: false, lookup };
      const sent = request(url, { ...options, signal }, (answer) => {
        answer.destroy();
        resolve({ status: answer.statusCode ?? null, error: null });
      });
      sent.once('error', (error: Error & { code?: string }) => {
        const words = signal.aborted ? 'no answer in time' : (error.code ?? error.message);
        resolve({ status: null, error: words.slice(0, deliveryErrorLengthMax) });
      });
      sent.end(body);
    });
  };
}

function guardedLookup({ allowsLoopback, lookUp = lookUpName }: PostEventDeps): LookupFunction {
  return (name, options, done) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '', 0);
      const allowed = found
        .slice(0, addressesMax)
        .filter(({ address }) => isAllowedAddress(address, allowsLoopback));
      const [first] = allowed;
      if (first === undefined) {
        return done(Object.assign(new Error('forbidden'), { code: 'forbidden address' }), '', 0);
      }
      return options.all === true ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}
