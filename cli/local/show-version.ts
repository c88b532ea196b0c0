import { openApi } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { formatFields } from '../output/table.ts';
import { accessOf } from '../settings.ts';
import { version } from '../version.ts';

type Health = { readonly ok: boolean; readonly version: string };

export const command = defineCommand({
  name: 'version',
  about: 'print the version of this client; with --server, of the API too',
  args: [],
  flags: { server: { kind: 'switch', about: 'ask the API as well' } },
  examples: ['edgewise version --server'],
  async run({ flags, output, settings, terminal }) {
    if (!flags.server) {
      output.single({ client: version }, version, () => `edgewise ${version}\n`);
      return exitCode.ok;
    }
    const access = accessOf(settings(), terminal);
    const health = await openApi(access, terminal).get<Health>('/v1/health');
    output.single({ client: version, server: health.version }, version, () =>
      formatFields([
        ['client', version],
        ['server', `${health.version} at ${access.url}`],
      ]),
    );
    return exitCode.ok;
  },
});
