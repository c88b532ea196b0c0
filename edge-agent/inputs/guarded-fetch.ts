import { lookup as lookUpName } from 'node:dns/promises';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';
import { hostOf, inputUrlProblem } from '../../core/files/input-url.ts';
import { addressesMax } from '../../core/webhooks/limits.ts';
import { faultOfReceiver, isAllowedAddress } from '../../core/webhooks/receiver-address.ts';
import { redirectsMax } from '../limits.ts';
import type { Asked } from './ask-store.ts';
import { InputFault } from './input-fault.ts';

/**
 * Fetches what a job names by its address. A user of the control plane named it and this host goes
 * there: so it leads neither to the host itself nor to its link, nor where the owner of the edge
 * does not want it; each redirection is judged like the first address, and a name by what it leads
 * to.
 */
export type GuardedFetch = (url: string, asked: Asked) => Promise<IncomingMessage>;

export type GuardedFetchDeps = {
  /** Whether the owner of this edge lets jobs fetch from this host. */
  readonly isAllowed: (host: string) => boolean;
  /** Whether that may be this host itself. */
  readonly allowsLoopback: (host: string) => boolean;
  /** How names become addresses; as the host does it by default. */
  readonly lookUp?: LookUp;
};

type LookUp = (
  name: string,
  options: { readonly all: true },
) => Promise<readonly { readonly address: string }[]>;

const redirections: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function makeGuardedFetch(deps: GuardedFetchDeps): GuardedFetch {
  return async (given, asked) => {
    let url = given;
    for (let hops = 0; hops <= redirectsMax; hops++) {
      judge(url, deps);
      const answer = await ask(url, asked, deps);
      const { statusCode: status = 0, headers } = answer;
      if (!redirections.has(status) || headers.location === undefined) return answer;
      answer.destroy();
      if (!URL.canParse(headers.location, url)) throw forbidden('it leads nowhere');
      url = new URL(headers.location, url).href;
    }
    throw forbidden(`it leads on more than ${redirectsMax} times`);
  };
}

function judge(url: string, { isAllowed, allowsLoopback }: GuardedFetchDeps): void {
  const problem = inputUrlProblem(url);
  if (problem !== null) throw forbidden(`its address ${problem}`);
  const host = hostOf(url);
  if (!isAllowed(host)) throw forbidden(`not allowed here: host ${host}`);
  if (faultOfReceiver(url, allowsLoopback(host)) !== null) throw forbidden(near(host));
}

const near = (host: string): string =>
  `not allowed here: ${host} is this host or its neighbourhood`;

/** It is asked again like one that is not there. */
function forbidden(words: string): InputFault {
  return new InputFault('input-missing', words);
}

async function ask(
  text: string,
  { headers, signal }: Asked,
  deps: GuardedFetchDeps,
): Promise<IncomingMessage> {
  const url = new URL(text);
  const isSecure = url.protocol === 'https:';
  const name = hostOf(text);
  // To the address that was judged, and not to what the name leads to a moment later.
  const host = isIP(name) === 0 ? await judgedAddress(name, deps) : name;
  const own = { 'accept-encoding': 'identity', 'user-agent': 'edgewise-agent', host: url.host };
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? requestSecure : requestPlain)(
      {
        ...{ host, port: url.port === '' ? undefined : Number(url.port) },
        ...{ path: `${url.pathname}${url.search}`, headers: { ...headers, ...own } },
        ...{ signal, agent: false, ...(isSecure && isIP(name) === 0 && { servername: name }) },
      },
      resolve,
    );
    sent.once('error', reject);
    sent.end();
  });
}

async function judgedAddress(name: string, deps: GuardedFetchDeps): Promise<string> {
  const { allowsLoopback } = deps;
  const lookUp: LookUp = deps.lookUp ?? lookUpName;
  const found = (await lookUp(name, { all: true })).slice(0, addressesMax);
  const [first] = found.filter(({ address }) => isAllowedAddress(address, allowsLoopback(name)));
  if (first === undefined) throw forbidden(near(name));
  return first.address;
}
