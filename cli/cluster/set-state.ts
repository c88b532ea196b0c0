import { defineCommand } from '../command.ts';
import { edgePath } from '../edge/edge-view.ts';
import { exitCode } from '../exit-code.ts';
import { parsePairs } from '../input/pairs.ts';
import { readSpecFile } from '../input/spec-file.ts';

type State = { readonly state: Readonly<Record<string, string | number | boolean>> };

export const command = defineCommand({
  name: 'cluster state',
  about: 'show the figures of a cluster, or merge some into them',
  args: [
    { name: 'NAME', noun: 'edge' },
    { name: 'KEY=VALUE', noun: 'text', optional: true, many: true },
  ],
  flags: {
    file: { kind: 'text', short: 'f', value: 'FILE', about: 'figures, JSON or YAML; - is stdin' },
    ttl: { kind: 'number', value: 'SECONDS', min: 1, about: 'they fall away after so long' },
  },
  examples: [
    'edgewise cluster state keebler nodes_free=20 cost_per_node_hour=3',
    'edgewise cluster state keebler --file state.json --ttl 600',
    'edgewise cluster state keebler',
  ],
  async run({ args, flags, api, output, terminal }) {
    const [name, ...pairs] = args;
    const path = edgePath(name!, '/state');
    const given = Object.entries(parsePairs(pairs, 'state')).map(([key, text]) => [
      key,
      figureOf(text),
    ]);
    const file = flags.file === undefined ? {} : await readSpecFile(terminal, flags.file);
    const body: Readonly<Record<string, unknown>> = {
      ...(file as object),
      ...Object.fromEntries(given),
    };
    const query = flags.ttl === undefined ? {} : { ttlSeconds: flags.ttl };
    const state =
      Object.keys(body).length === 0
        ? await api().get<State>(path)
        : (await api().ask<State>('PUT', path, { body, query })).body;
    output.single(state, name!, () =>
      Object.entries(state.state)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    );
    return exitCode.ok;
  },
});

/** A number, true or false as such; nothing at all removes the key. */
function figureOf(text: string): string | number | boolean | null {
  if (text === '') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
