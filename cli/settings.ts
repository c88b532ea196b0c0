import { namedValue } from '../core/protocol/named-values.ts';
import type { Access } from './client/api.ts';
import { type Context, readContexts } from './config/context-file.ts';
import { exitCode } from './exit-code.ts';
import { Failure, usage } from './failure.ts';
import { findEndpoints } from './local/endpoints-file.ts';
import { tokenRenewal } from './login/renew-token.ts';
import type { Terminal } from './terminal.ts';

/**
 * Where a setting comes from: flag, then environment, then the context of the configuration file,
 * then a local cloud that runs in this directory or above. The first one that says something wins,
 * and `source` remembers which it was.
 */
export type Settings = {
  readonly api: string | null;
  readonly token: string | null;
  readonly source: string;
  /** The context that the token comes from, when it may be had anew. */
  readonly renewable?: string | undefined;
};

export type Given = {
  readonly api: string | undefined;
  readonly token: string | undefined;
  readonly context: string | undefined;
};

export function resolveSettings(given: Given, terminal: Terminal): Settings {
  const { env } = terminal;
  const context = findContext(given, terminal);
  const local = findEndpoints(terminal.directory, env.EDGEWISE_STATE);
  const places: readonly (readonly [string, string | undefined])[] = [
    ['--api', given.api],
    ['EDGEWISE_API', env.EDGEWISE_API || undefined],
    [`context ${context?.name}`, context?.api],
    [`local cloud (${local?.path})`, local?.api],
  ];
  const place = places.find(([, url]) => url !== undefined);
  const api = place?.[1] ?? null;
  if (api !== null) checkUrl(api, place?.[0] ?? '');
  // A stored token is only sent to the address it was stored for.
  const stored = [context, local].find((one) => one !== null && sameAddress(one.api, api));
  const named = given.token ?? (env.EDGEWISE_TOKEN || undefined);
  const isOfContext = named === undefined && stored === context && context?.renewal != null;
  return {
    api,
    token: named ?? stored?.token ?? null,
    source: place?.[0] ?? 'nowhere',
    ...(isOfContext ? { renewable: context.name } : {}),
  };
}

function sameAddress(a: string, b: string | null): boolean {
  return b !== null && a.replace(/\/+$/, '') === b.replace(/\/+$/, '');
}

function checkUrl(text: string, source: string): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usage(
      `"${text}" (from ${source}) is not an address.`,
      'Write it like https://host or http://127.0.0.1:4567.',
    );
  }
}

function findContext(given: Given, terminal: Terminal): (Context & { name: string }) | null {
  const wanted = given.context ?? (terminal.env.EDGEWISE_CONTEXT || undefined);
  if (wanted === undefined && given.api !== undefined && given.token !== undefined) return null;
  const file = readContexts(terminal);
  const name = wanted ?? file.current;
  if (name === null) return null;
  const context = namedValue(file.contexts, name);
  if (context !== undefined) return { ...context, name };
  const known = Object.keys(file.contexts);
  throw usage(
    `There is no context "${name}".`,
    known.length === 0
      ? 'Make one: edgewise config set NAME --api URL --token TOKEN'
      : `Known: ${known.join(', ')}`,
  );
}

export function accessOf(settings: Settings, terminal: Terminal): Access {
  if (settings.api === null) {
    throw new Failure(
      exitCode.usage,
      'No API is configured.',
      'Start a local cloud with "npm start", or give --api URL or EDGEWISE_API.',
    );
  }
  const { api: url, token, renewable } = settings;
  if (renewable === undefined) return { url, token };
  return { url, token, renew: tokenRenewal(renewable, terminal) };
}
