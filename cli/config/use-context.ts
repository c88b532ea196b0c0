import { namedValue } from '../../core/protocol/named-values.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { suggest } from '../input/suggestion.ts';
import { readContexts, writeContexts } from './context-file.ts';

export const command = defineCommand({
  name: 'config use',
  about: 'use a stored context from now on',
  args: [{ name: 'NAME', noun: 'context' }],
  flags: {},
  examples: ['edgewise config use lab'],
  async run({ args, output, terminal }) {
    const name = args[0]!;
    const file = readContexts(terminal);
    if (namedValue(file.contexts, name) === undefined) {
      const nearest = suggest(name, Object.keys(file.contexts));
      const hint = nearest === null ? 'See: edgewise config list' : `Did you mean ${nearest}?`;
      throw new Failure(exitCode.notFound, `There is no context "${name}".`, hint);
    }
    writeContexts(terminal, { ...file, current: name });
    output.single({ name }, name, () => `${name}\n`);
    return exitCode.ok;
  },
});
