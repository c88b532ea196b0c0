import { namedValue } from '../../core/protocol/named-values.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { readContexts, writeContexts } from './context-file.ts';

export const command = defineCommand({
  name: 'config remove',
  about: 'forget a context and its token',
  args: [{ name: 'NAME', noun: 'context' }],
  flags: { ...yesFlag },
  examples: ['edgewise config remove lab'],
  async run({ args, flags, output, terminal }) {
    const name = args[0]!;
    const file = readContexts(terminal);
    if (namedValue(file.contexts, name) === undefined) {
      throw new Failure(
        exitCode.notFound,
        `There is no context "${name}".`,
        'See: edgewise config list',
      );
    }
    const { [name]: _, ...contexts } = file.contexts;
    await confirm(terminal, flags.yes, `Forget context ${name}?`);
    writeContexts(terminal, { current: file.current === name ? null : file.current, contexts });
    output.single({ name }, name, () => `${name} removed\n`);
    return exitCode.ok;
  },
});
