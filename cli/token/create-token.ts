import { scopes } from '../../core/contract/scopes.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parseDurationMs } from '../input/duration.ts';
import { suggest } from '../input/suggestion.ts';

type Created = { readonly secret: string };

export const command = defineCommand({
  name: 'token create',
  about: 'make a token; its secret is printed once and never again',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {
    scope: {
      kind: 'list',
      short: 's',
      value: 'SCOPE',
      about: `may be repeated: ${scopes.join(' ')}`,
    },
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'only in this pool' },
    queue: { kind: 'text', value: 'QUEUE', noun: 'queue', about: 'only in this queue' },
    edge: { kind: 'text', value: 'EDGE', noun: 'edge', about: 'an enrol token for this edge only' },
    uses: { kind: 'number', value: 'N', min: 1, about: 'how many edges it may enrol' },
    ttl: { kind: 'text', value: 'DURATION', about: 'valid this long: 1h, 30d' },
  },
  examples: ['edgewise token create site-north --scope edges:enrol --ttl 1h'],
  async run({ args, flags, api, output, terminal }) {
    const asked = flags.scope.flatMap((word) => word.split(','));
    if (asked.length === 0)
      throw usage('--scope is missing.', `It is one of ${scopes.join(', ')}.`);
    for (const scope of asked) {
      if ((scopes as readonly string[]).includes(scope)) continue;
      const nearest = suggest(scope, scopes);
      const hint =
        nearest === null ? `It is one of ${scopes.join(', ')}.` : `Did you mean ${nearest}?`;
      throw usage(`--scope cannot be "${scope}".`, hint);
    }
    const { ttl } = flags;
    const ttlSeconds =
      ttl === undefined ? undefined : Math.ceil(parseDurationMs(ttl, 'ttl') / 1_000);
    const { edge, pool, queue, uses } = flags;
    const body = { name: args[0], scopes: asked, pool, queue, edge, uses, ttlSeconds };
    const created = (await api().ask<Created>('POST', '/v1/tokens', { body })).body;
    const { secret } = created;
    output.single(created, secret, () => `${secret}\n`);
    terminal.say('This is the only time it is shown. Use it with --token or EDGEWISE_TOKEN.');
    return exitCode.ok;
  },
});
