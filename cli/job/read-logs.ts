import type { Chunk, Job } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { followedChunksMax, logChunksMax, logLimitMax } from '../limits.ts';
import { writeOutput } from '../output/program-output.ts';
import type { Terminal } from '../terminal.ts';
import { followChunk, followJob } from './follow-logs.ts';
import { getChunks, type NamedChunks, readChunks } from './input/chunk-set.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { isMissing, onceKept } from './kept-output.ts';

/**
 * Output, as it was written: kept, or of what runs as far as it is. Without a chunk: of the failed
 * chunks, each under a line on stderr that names it, so that stdout is output and nothing else.
 */
export const command = defineCommand({
  name: 'job logs',
  shortcut: 'logs',
  about: 'print the output of failed chunks, or of those named; -f follows what runs',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNKS', noun: 'text', optional: true },
  ],
  flags: {
    follow: { kind: 'switch', short: 'f', about: 'go on with what is printed, to the end' },
    stderr: { kind: 'switch', about: 'standard error, of a job that keeps it apart', rare: true },
    all: { kind: 'switch', about: 'of the chunks that went well, too' },
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: logLimitMax,
      about: `of how many chunks (${logChunksMax})`,
    },
    cursor: { kind: 'text', value: 'CURSOR', about: 'go on after this page', rare: true },
  },
  examples: [
    'edgewise logs last',
    'edgewise logs last 3',
    'edgewise logs last 0-9,12',
    'edgewise logs last all',
    'edgewise logs -f last',
  ],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [reference, number] = args;
    const stream = flags.stderr ? 'stderr' : 'stdout';
    const chosen = number === undefined ? null : readChunks(number);
    const isData = output.format === 'json' || output.format === 'yaml';
    if (flags.follow) {
      if (isData) throw usage('--follow prints output, and no JSON or YAML.', 'Leave out -o.');
      await follow(client, terminal, reference!, { chosen, stream });
      return exitCode.ok;
    }
    const { limit = logChunksMax, cursor } = flags;
    const wanted = { all: flags.all || chosen?.kind === 'all', limit, cursor };
    const found = await withJob(client, reference!, (job) =>
      chosen === null || chosen.kind === 'all'
        ? findChunks(client, job, wanted)
        : findNamed(client, job, chosen),
    );
    if (isData) {
      const printed = [];
      for (const chunk of found.chunks) {
        const kept = await readOutput(client, terminal, { id: found.id, stream }, chunk.chunk);
        if (kept !== null) printed.push({ ...chunk, ...outputItem(kept) });
      }
      output.single({ items: printed, nextCursor: found.next }, found.id, () => '');
      return exitCode.ok;
    }
    await print(client, terminal, found, { chosen, stream });
    return exitCode.ok;
  },
});

const keepHint = 'A job keeps the output of failed chunks, or of all with --keep-output all.';

type Asked = { readonly chosen: NamedChunks | null; readonly stream: 'stdout' | 'stderr' };

async function follow(
  client: Api,
  terminal: Terminal,
  reference: string,
  { chosen, stream }: Asked,
): Promise<void> {
  if (stream === 'stderr') {
    throw usage('--follow follows standard output.', 'Leave out --follow, or --stderr.');
  }
  if (chosen?.kind === 'some') {
    throw usage('--follow follows one chunk, or all that run.', 'Leave out the chunks.');
  }
  const { id, status } = await withJob(client, reference, (job) => client.get<Job>(jobPath(job)));
  const only = status.chunks.total === 1 ? 0 : null;
  const chunk = chosen?.kind === 'one' ? chosen.chunk : only;
  try {
    if (chunk === null) await followJob(client, terminal, id);
    else
      await onceKept(client, terminal, { id, chunk }, () =>
        followChunk(client, terminal, { id, chunk }),
      );
  } catch (error) {
    if (terminal.interrupted.aborted) return;
    if (chunk === null || !isMissing(error)) throw error;
    throw new Failure(exitCode.notFound, `No output of chunk ${chunk} is kept.`, keepHint);
  }
}

async function print(
  client: Api,
  terminal: Terminal,
  { id, chunks, next, isRunning }: Found,
  { chosen, stream }: Asked,
): Promise<void> {
  let printed = 0;
  for (const chunk of chunks) {
    const kept = await readOutput(client, terminal, { id, stream }, chunk.chunk);
    if (kept === null) continue;
    printed += 1;
    const goOn = readsOn(client, terminal, { id, stream }, chunk.chunk);
    await printOutput(terminal, chunk, { kept, goOn }, chosen?.kind !== 'one');
  }
  if (next !== null) {
    terminal.say(`The first ${chunks.length} chunks. More: --limit N, --cursor ${next}`);
  }
  const apart = stream === 'stdout' && chunks.some(({ stderr }) => stderr !== undefined);
  if (apart) terminal.say(`Standard error is apart: edgewise logs --stderr ${id}`);
  if (isRunning) terminal.say(`It runs. To follow it: edgewise logs -f ${id}`);
  if (printed > 0) return;
  if (chosen?.kind === 'one' || chosen?.kind === 'some') {
    const which = chosen.kind === 'one' ? `chunk ${chosen.chunk}` : 'these chunks';
    throw new Failure(exitCode.notFound, `No output of ${which} is kept.`, keepHint);
  }
  const none = chunks.length > 0 ? 'No output is kept' : 'No chunk has failed';
  terminal.say(`${none}. ${keepHint}`);
}

type Found = {
  readonly id: string;
  readonly chunks: readonly Chunk[];
  readonly next: string | null;
  /** Nothing has ended that could be shown, so that these are what runs. */
  readonly isRunning: boolean;
};

async function findNamed(
  client: Api,
  id: string,
  named: Exclude<NamedChunks, { kind: 'all' }>,
): Promise<Found> {
  const chunks =
    named.kind === 'some'
      ? await getChunks(client, id, named.set)
      : [await client.get<Chunk>(jobPath(id, `/chunks/${named.chunk}`))];
  return { id, chunks, next: null, isRunning: false };
}

type Wanted = {
  readonly all: boolean;
  readonly limit: number;
  readonly cursor: string | undefined;
};

/** State after state; the cursor says in which one the next page begins. */
async function findChunks(client: Api, id: string, wanted: Wanted): Promise<Found> {
  const states = wanted.all ? ['dead', 'done'] : ['dead'];
  const [begin = '', inside] = wanted.cursor?.split('~', 2) ?? [states[0]];
  const first = states.indexOf(begin);
  if (first < 0) throw usage(`"${wanted.cursor}" is no cursor of these logs.`);
  const chunks: Chunk[] = [];
  let next: string | null = null;
  for (const state of states.slice(first)) {
    const left = wanted.limit - chunks.length;
    if (left === 0) {
      next = `${state}~`;
      break;
    }
    const from = state === begin && inside ? inside : undefined;
    const page = await listPages<Chunk>(client, jobPath(id, '/chunks'), { state }, left, from);
    chunks.push(...page.items);
    next = page.nextCursor == null ? null : `${state}~${page.nextCursor}`;
    if (next !== null) break;
  }
  if (chunks.length > 0 || wanted.cursor !== undefined) {
    const sorted = chunks.sort((a, b) => a.chunk - b.chunk);
    return { id, chunks: sorted, next, isRunning: false };
  }
  const query = { state: 'running' };
  const most = Math.min(wanted.limit, followedChunksMax);
  const running = await listPages<Chunk>(client, jobPath(id, '/chunks'), query, most);
  return { id, chunks: running.items, next: null, isRunning: running.items.length > 0 };
}

type ReadOutput = {
  readonly bytes: Buffer;
  /** Where something is left out between these bytes, and how much. */
  readonly omitted: { readonly at: number; readonly bytes: number } | null;
};

async function readOutput(
  client: Api,
  terminal: Terminal,
  { id, stream }: { readonly id: string; readonly stream: Asked['stream'] },
  chunk: number,
): Promise<ReadOutput | null> {
  const path = jobPath(id, `/chunks/${chunk}/output`);
  const query = stream === 'stderr' ? { stream } : {};
  try {
    const part = await onceKept(client, terminal, { id, chunk }, () => client.raw(path, query));
    const [from, to] = (part.header('edgewise-omitted') ?? '').split('-', 2).map(Number);
    const omitted = from === undefined || to === undefined ? null : { at: from, bytes: to - from };
    return { bytes: part.bytes, omitted };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Writes what is between the ends of an output, piece by piece; answers how much is not kept. */
type ReadOn = (
  omitted: { readonly at: number; readonly bytes: number },
  write: (piece: Uint8Array) => void,
) => Promise<number>;

function readsOn(
  client: Api,
  terminal: Terminal,
  { id, stream }: { readonly id: string; readonly stream: Asked['stream'] },
  chunk: number,
): ReadOn {
  return async ({ at, bytes }, write) => {
    const end = at + bytes;
    let offset = at;
    while (offset < end && !terminal.interrupted.aborted) {
      const part = await client.raw(jobPath(id, `/chunks/${chunk}/output`), { offset, stream });
      const next = Number(part.header('edgewise-next-offset') ?? 0);
      if (next - part.bytes.length !== offset || part.bytes.length === 0) break;
      write(part.bytes.subarray(0, end - offset));
      offset = next;
    }
    return Math.max(0, end - offset);
  };
}

function outputItem({ bytes, omitted }: ReadOutput) {
  return { output: bytes.toString('utf8'), ...(omitted && { omitted }) };
}

/** One output alone is written as it is, so that a file gets it byte for byte. */
async function printOutput(
  terminal: Terminal,
  chunk: Chunk,
  { kept: { bytes, omitted }, goOn }: { readonly kept: ReadOutput; readonly goOn: ReadOn },
  titled: boolean,
): Promise<void> {
  if (titled) {
    const ended =
      chunk.reason ?? (chunk.exitCode === null ? chunk.state : `exit code ${chunk.exitCode}`);
    terminal.say(`== chunk ${chunk.chunk} on ${chunk.edge ?? 'no edge'}, ${ended}`);
  }
  const writer = writeOutput(terminal);
  writer.write(bytes.subarray(0, omitted?.at));
  if (omitted !== null) {
    const left = await goOn(omitted, (piece) => writer.write(piece));
    if (left > 0) {
      writer.end();
      terminal.say(`== ${left} bytes of chunk ${chunk.chunk} are not kept`);
    }
    writer.write(bytes.subarray(omitted.at));
  }
  writer.end();
  const isOpen = bytes.length > 0 && bytes.at(-1) !== 0x0a;
  if (isOpen && titled && !terminal.outIsTerminal) terminal.out('\n');
}
