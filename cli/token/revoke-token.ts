import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';

export const command = defineCommand({
  name: 'token revoke',
  about: 'revoke a token at once',
  args: [{ name: 'ID', noun: 'token' }],
  flags: { ...yesFlag },
  examples: ['edgewise token revoke 0kx3… --yes'],
  async run({ args, flags, api, output, terminal }) {
    const [id] = args;
    await confirm(terminal, flags.yes, `Revoke token ${id}?`);
    const { body } = await api().ask('DELETE', `/v1/tokens/${encodeURIComponent(id!)}`);
    output.single(body, id!, () => `${id} revoked\n`);
    return exitCode.ok;
  },
});
