import { namedValue } from '../../core/protocol/named-values.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readContexts, writeContexts } from './context-file.ts';

export const command = defineCommand({
  name: 'config set',
  about: 'store a context with --api and --token, and use it',
  args: [{ name: 'NAME', noun: 'context' }],
  flags: { 'no-use': { kind: 'switch', about: 'store it, but keep using the current one' } },
  examples: ['edgewise config set lab --api https://api.example.org --token "$TOKEN"'],
  async run({ args, flags, given, output, settings, terminal }) {
    const name = args[0]!;
    const file = readContexts(terminal);
    const before = namedValue(file.contexts, name);
    const api = given.has('api') ? settings().api : (before?.api ?? null);
    if (api === null) throw usage('--api is missing.', `edgewise config set ${name} --api URL`);
    const token = given.has('token') ? settings().token : (before?.token ?? null);
    const renewal = given.has('token') ? null : before?.renewal;
    const current = flags['no-use'] ? file.current : name;
    const contexts = { ...file.contexts, [name]: { api, token, ...(renewal && { renewal }) } };
    writeContexts(terminal, { current, contexts });
    output.single({ name, api, token: token !== null }, name, () => `${name}\n`);
    return exitCode.ok;
  },
});
