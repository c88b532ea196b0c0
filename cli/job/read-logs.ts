import type { Api } from '../client/api.ts';
import { listPages } from '../client/pages.ts';
import type { Chunk } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { logChunksMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { readChunkNumber } from './input/chunk-number.ts';
import { jobPath, withJob } from './input/job-reference.ts';

/**
 * Kept output, as it was written. Without a chunk: of the failed chunks, each under a line on
 * stderr that names it, so that stdout is output and nothing else.
 */
export const command = defineCommand({
  name: 'job logs',
  shortcut: 'logs',
  about: 'print the kept output of the failed chunks, or of one chunk',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNK', noun: 'text', optional: true },
  ],
  flags: { all: { kind: 'switch', about: 'of the chunks that went well, too' } },
  examples: ['edgewise logs last', 'edgewise logs last 3'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [reference, number] = args;
    const chosen = number === undefined ? null : readChunkNumber(number);
    const { id, chunks, more } = await withJob(client, reference!, (job) =>
      chosen === null ? findChunks(client, job, flags.all) : findChunk(client, job, chosen),
    );
    const found: (Chunk & { output: string })[] = [];
    for (const chunk of chunks) {
      const text = await readOutput(client, id, chunk.chunk);
      if (text !== null) found.push({ ...chunk, output: text });
    }
    if (output.format === 'json' || output.format === 'yaml') {
      output.single({ items: found, nextCursor: null }, id, () => '');
      return exitCode.ok;
    }
    for (const chunk of found) printOutput(terminal, chunk, chosen === null);
    if (more)
      terminal.say(`The first ${logChunksMax} chunks. One chunk: edgewise logs ${id} CHUNK`);
    if (found.length > 0) return exitCode.ok;
    if (chosen !== null) {
      throw new Failure(exitCode.notFound, `No output of chunk ${chosen} is kept.`, keepHint);
    }
    const none = flags.all || chunks.length > 0 ? 'No output is kept' : 'No chunk has failed';
    terminal.say(`${none}. ${keepHint}`);
    return exitCode.ok;
  },
});

const keepHint = 'A job keeps the output of failed chunks, or of all with --keep-output all.';

type Found = { id: string; chunks: readonly Chunk[]; more: boolean };

async function findChunk(client: Api, id: string, n: number): Promise<Found> {
  return { id, chunks: [await client.get<Chunk>(jobPath(id, `/chunks/${n}`))], more: false };
}

async function findChunks(client: Api, id: string, all: boolean): Promise<Found> {
  const states = all ? ['dead', 'done'] : ['dead'];
  const chunks: Chunk[] = [];
  let more = false;
  for (const state of states) {
    const page = await listPages<Chunk>(client, jobPath(id, '/chunks'), { state }, logChunksMax);
    chunks.push(...page.items);
    more ||= page.nextCursor !== null;
  }
  return { id, chunks: chunks.sort((a, b) => a.chunk - b.chunk).slice(0, logChunksMax), more };
}

async function readOutput(client: Api, id: string, n: number): Promise<string | null> {
  try {
    return await client.text(jobPath(id, `/chunks/${n}/output`));
  } catch (error) {
    if (error instanceof Failure && error.code === exitCode.notFound) return null;
    throw error;
  }
}

function printOutput(terminal: Terminal, chunk: Chunk & { output: string }, titled: boolean): void {
  if (titled) {
    const exit =
      chunk.exitCode === null ? (chunk.reason ?? chunk.state) : `exit code ${chunk.exitCode}`;
    terminal.say(`== chunk ${chunk.chunk} on ${chunk.edge ?? 'no edge'}, ${exit}`);
  }
  terminal.out(
    chunk.output.endsWith('\n') || chunk.output === '' ? chunk.output : `${chunk.output}\n`,
  );
}
