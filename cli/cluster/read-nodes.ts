import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { graphBytesMax } from '../../core/graph/limits.ts';
import { bodyBytesMax } from '../../core/model/limits.ts';
import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { edgePath } from '../edge/edge-view.ts';
import { exitCode } from '../exit-code.ts';
import { putFile } from '../files/put-file.ts';
import { readSpecFile } from '../input/spec-file.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand({
  name: 'cluster nodes',
  about: 'print the graph of a cluster as it was sent, or send another one',
  args: [{ name: 'NAME', noun: 'edge' }],
  flags: {
    file: { kind: 'text', short: 'f', value: 'FILE', about: 'the graph to send; - is stdin' },
    detach: { kind: 'switch', about: 'drop subsystems that do not fit the new graph' },
  },
  examples: [
    'edgewise cluster nodes keebler > nodes.json',
    'edgewise cluster nodes keebler --file nodes.json',
  ],
  async run({ args, flags, api, output, terminal }) {
    const name = args[0]!;
    const path = edgePath(name, '/nodes');
    if (flags.file === undefined) {
      terminal.out(`${(await api().bytes(path)).toString('utf8').trimEnd()}\n`);
      return exitCode.ok;
    }
    const body = await readSpecFile(terminal, flags.file, graphBytesMax);
    const query = flags.detach ? { detach: true } : {};
    const sent = await smallEnough(api(), terminal, path, body);
    const { body: edge } = await api().ask<{ graph: { vertices: number } }>('PUT', path, {
      body: sent,
      query,
      packed: true,
    });
    output.single(edge, name, () => `${name}: ${edge.graph.vertices} vertices\n`);
    return exitCode.ok;
  },
});

type Upload = { readonly uploadUrl: string; readonly token: string };

/** What no request can hold, even packed, is put into the store first; its token stands for it. */
async function smallEnough(
  api: Api,
  terminal: Terminal,
  path: string,
  body: unknown,
): Promise<unknown> {
  const text = JSON.stringify(body);
  if (gzipSync(text).length <= bodyBytesMax) return body;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const bytes = Buffer.byteLength(text);
  const asked = { body: { sha256, bytes } };
  const { body: upload } = await api.ask<Upload & { headers: Record<string, string> }>(
    ...(['POST', `${path}:upload`, asked] as const),
  );
  const source = { name: 'the graph', bytes, from: { text } };
  await putFile(terminal, upload, source, () => {});
  return { upload: upload.token };
}
