import * as http from 'node:http';

/**
 * The proxies that the environment names hold for requests under every runtime: Bun goes through
 * them by itself, and Node, from 24.14 on, when somebody asks it to.
 */
export function obeyProxies(env: Readonly<Record<string, string | undefined>>): void {
  const names = ['http_proxy', 'https_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  if (!names.some((name) => env[name])) return;
  const own = { ...env };
  keepLoopbackDirect(own);
  const { setGlobalProxyFromEnv } = http as Partial<typeof http>;
  setGlobalProxyFromEnv?.(own);
}

/**
 * Addresses of this machine are never asked for through a proxy. The single binary's runtime obeys
 * `HTTP_PROXY` for them as well, where Node does not, so an agent beside its cloud would reach
 * nothing on a host that has a proxy and no `NO_PROXY`.
 */
const loopbackNames = ['localhost', '127.0.0.1', '::1'];

/** Adds what is missing to both spellings of `NO_PROXY`; what stands there stays first. */
export function keepLoopbackDirect(env: Record<string, string | undefined>): void {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const listed = (env[name] ?? '').split(',').flatMap((entry) => entry.trim() || []);
    if (listed.includes('*')) continue;
    env[name] = [...new Set([...listed, ...loopbackNames])].join(',');
  }
}
