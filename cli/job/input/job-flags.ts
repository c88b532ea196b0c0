import { outputMbMax } from '../../../core/files/limits.ts';
import { newTable } from '../../../core/protocol/named-values.ts';
import type { Flags, FlagValues } from '../../command.ts';
import { usage } from '../../failure.ts';
import { parseAmounts, parsePairs } from '../../input/pairs.ts';

/**
 * A job in flags. Whatever is not given is left out of the body, so that the defaults are the API's
 * own; a flag replaces the same field of `--file`. Only what cannot be said in the body at all is
 * refused here.
 */
export const jobFlags = {
  power: { kind: 'number', value: 'W', min: 1, about: 'power of the whole job, cut into chunks' },
  'chunk-power': { kind: 'number', value: 'W', min: 1, about: 'power of one running chunk' },
  chunks: { kind: 'number', value: 'N', min: 1, about: 'how many chunks' },
  file: { kind: 'text', short: 'f', value: 'FILE', about: 'the job as YAML or JSON; - is stdin' },
  name: { kind: 'text', value: 'NAME', about: 'a name for people' },
  pool: {
    kind: 'text',
    short: 'p',
    value: 'POOL',
    noun: 'pool',
    about: 'where it may run (default)',
  },
  label: { kind: 'list', short: 'l', value: 'K=V', about: 'a label of the job' },
  require: {
    kind: 'list',
    value: 'K[OP V]',
    about: 'label or fact of the edge: site=north, "os.version>=5.10"',
  },
  edge: { kind: 'list', value: 'EDGE', noun: 'edge', about: 'only on this edge; may be repeated' },
  after: { kind: 'list', value: 'JOB', noun: 'job', about: 'only when this job is done' },
  image: { kind: 'text', value: 'IMAGE', about: 'run the program in this container image' },
  seconds: {
    kind: 'number',
    value: 'S',
    fraction: true,
    min: 0,
    about: 'simulate chunks of this length',
    rare: true,
  },
  slurm: { kind: 'switch', about: 'through Slurm', rare: true },
  flux: { kind: 'switch', about: 'through Flux', rare: true },
  env: { kind: 'list', value: 'K=V', about: 'environment of the program', rare: true },
  cwd: { kind: 'text', value: 'DIR', about: 'directory of the program', rare: true },
  'chunk-timeout': {
    kind: 'number',
    value: 'S',
    min: 1,
    about: 'seconds a chunk may run',
    rare: true,
  },
  queue: { kind: 'text', value: 'QUEUE', noun: 'queue', about: 'queue', rare: true },
  priority: { kind: 'number', value: '0-100', min: 0, max: 100, about: 'higher first', rare: true },
  resource: { kind: 'list', value: 'NAME=N', about: 'what a chunk needs', rare: true },
  policy: {
    kind: 'text',
    value: 'spread|pack|fastest',
    choices: ['spread', 'pack', 'fastest'],
    about: 'how it is placed',
    rare: true,
  },
  'max-edges': { kind: 'number', value: 'N', min: 1, about: 'on no more edges', rare: true },
  nodes: { kind: 'number', value: 'N', min: 1, about: 'all or nothing', rare: true },
  attempts: { kind: 'number', value: 'N', min: 1, max: 100, about: 'tries of a chunk', rare: true },
  backoff: { kind: 'number', value: 'S', min: 0, about: 'seconds between tries', rare: true },
  'max-failed': {
    kind: 'number',
    value: 'N',
    min: 1,
    about: 'failed chunks that end the job',
    rare: true,
  },
  'lost-after': {
    kind: 'number',
    value: 'S',
    min: 1,
    about: 'seconds until a disconnected edge is lost',
    rare: true,
  },
  offline: { kind: 'number', value: 'S', min: 1, about: 'how long it may run offline', rare: true },
  deadline: { kind: 'number', value: 'S', min: 1, about: 'seconds until it is ended', rare: true },
  'keep-output': {
    kind: 'text',
    value: 'none|failed|all',
    choices: ['none', 'failed', 'all'],
    about: 'outputs to keep',
    rare: true,
  },
  outputs: {
    kind: 'list',
    value: 'PATTERN',
    about: "files of each chunk that are its results: 'result/**', '*.csv'",
  },
  'keep-days': {
    kind: 'number',
    value: 'N',
    min: 1,
    max: 365,
    about: 'how long results are kept, at least (30)',
    rare: true,
  },
  'on-end': { kind: 'text', value: 'URL', about: 'notify this address of its end', rare: true },
  'output-mb': {
    kind: 'number',
    value: 'MB',
    min: 1,
    max: outputMbMax,
    about: 'keep outputs whole up to so much',
    rare: true,
  },
  stderr: {
    kind: 'text',
    value: 'joined|apart',
    choices: ['joined', 'apart'],
    about: 'whether standard error is kept with standard output, or by itself',
    rare: true,
  },
  'keep-directory': {
    kind: 'text',
    value: 'none|failed',
    choices: ['none', 'failed'],
    about: 'directories of chunks that edges keep for a look',
    rare: true,
  },
} as const satisfies Flags;

export type JobFlagValues = FlagValues<typeof jobFlags>;

export type JobBody = Record<string, unknown>;

export function buildJob(
  flags: JobFlagValues,
  rest: readonly string[] | null,
  file: JobBody,
): JobBody {
  const body: JobBody = { ...file };
  const set = (name: string, value: unknown): void => {
    if (value !== undefined) body[name] = value;
  };
  checkPower(flags, file, rest);
  if (flags.power !== undefined) delete body.chunkPower;
  if (flags['chunk-power'] !== undefined) delete body.power;
  set('power', flags.power);
  set('chunkPower', flags['chunk-power']);
  set('chunks', flags.chunks);
  set('name', flags.name);
  set('pool', flags.pool);
  set('queue', flags.queue);
  set('priority', flags.priority);
  set('lostAfterSeconds', flags['lost-after']);
  set('offlineSeconds', flags.offline);
  set('deadlineSeconds', flags.deadline);
  set('keepOutput', flags['keep-output']);
  set('outputMb', flags['output-mb']);
  set('stderr', flags.stderr);
  set('keepDirectory', flags['keep-directory']);
  set('keepDays', flags['keep-days']);
  merge(body, 'onEnd', { url: flags['on-end'] });
  if (flags.outputs.length > 0) merge(body, 'outputs', { paths: flags.outputs });
  set('run', runOf(flags, rest));
  if (flags.after.length > 0) set('dependsOn', flags.after);
  merge(body, 'labels', parsePairs(flags.label, 'label'));
  merge(body, 'resources', parseAmounts(flags.resource, 'resource'));
  merge(body, 'requires', requiresOf(flags));
  merge(body, 'placement', {
    policy: flags.policy,
    maxEdges: flags['max-edges'],
    nodes: flags.nodes,
  });
  merge(body, 'retries', {
    attempts: flags.attempts,
    backoffSeconds: flags.backoff,
    maxFailedChunks: flags['max-failed'],
  });
  return body;
}

function checkPower(flags: JobFlagValues, file: JobBody, rest: readonly string[] | null): void {
  if (flags.power !== undefined && flags['chunk-power'] !== undefined) {
    throw usage(
      '--power and --chunk-power cannot both be given.',
      '--power is the whole job, --chunk-power one chunk of it.',
    );
  }
  if (flags.slurm && flags.flux) throw usage('--slurm and --flux cannot both be given.');
  const said = flags.power ?? flags['chunk-power'] ?? flags.chunks ?? flags.file;
  const isProgram = (rest?.length ?? 0) > 0 || flags.image !== undefined;
  if (said === undefined && !isProgram && Object.keys(file).length === 0) {
    throw usage(
      'The job says neither what it runs nor how much of it.',
      'Give a program after "--", or --power W, --chunks N or --file job.yaml.',
    );
  }
}

function merge(body: JobBody, name: string, fields: Record<string, unknown>): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const before = body[name];
  const base = typeof before === 'object' && before !== null ? before : {};
  body[name] = { ...base, ...Object.fromEntries(given) };
}

function runOf(flags: JobFlagValues, rest: readonly string[] | null): unknown {
  const argv = rest ?? [];
  const timeoutSeconds = flags['chunk-timeout'];
  const env = parsePairs(flags.env, 'env');
  const program = {
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
  const cwd = flags.cwd === undefined ? {} : { cwd: flags.cwd };
  if (flags.image !== undefined) {
    return { container: { image: flags.image, ...(argv.length > 0 ? { argv } : {}), ...program } };
  }
  if (argv.length === 0) {
    const needy = ['env', 'cwd', 'chunk-timeout', 'slurm', 'flux'] as const;
    const lonely = needy.find((name) =>
      Array.isArray(flags[name]) ? flags[name].length > 0 : flags[name],
    );
    if (lonely !== undefined && flags.file === undefined) {
      throw usage(
        `--${lonely} needs a program to run.`,
        'Give it after "--": edgewise submit --power 100 -- sh -c "…"',
      );
    }
    return flags.seconds === undefined ? undefined : { simulate: { seconds: flags.seconds } };
  }
  if (flags.seconds !== undefined) {
    throw usage(
      '--seconds simulates a program, so none can follow "--".',
      'Leave out one of the two.',
    );
  }
  if (flags.slurm) return { slurm: { argv, ...program, ...cwd } };
  if (flags.flux) return { flux: { argv, ...program, ...cwd } };
  return { process: { argv, ...program, ...cwd } };
}

const requirement = /^([A-Za-z0-9._/-]+)\s*(>=|<=|!=|=|>|<)\s*(.*)$/s;
const bareKey = /^(!?)([A-Za-z0-9._/-]+)$/;

/**
 * `site=north` is a label, dotted keys and other operators are expressions, a bare key asks that it
 * exists.
 */
function requiresOf(flags: JobFlagValues): Record<string, unknown> {
  const labels = newTable<string>();
  const expressions: Record<string, unknown>[] = [];
  for (const word of flags.require) {
    const bare = bareKey.exec(word);
    const match = requirement.exec(word);
    if (bare !== null)
      expressions.push({ key: bare[2], op: bare[1] === '!' ? 'notExists' : 'exists' });
    else if (match === null || /^[<>=!]|^$/.test(match[3]!)) {
      throw usage(
        `--require ${word} is not understood.`,
        'Write site=north, "os.version>=5.10", gpu or !gpu.',
      );
    } else if (match[2] === '=' && !match[1]!.includes('.')) labels[match[1]!] = match[3]!;
    else expressions.push(expressionOf(match[1]!, match[2]!, match[3]!));
  }
  return {
    labels: Object.keys(labels).length > 0 ? labels : undefined,
    expressions: expressions.length > 0 ? expressions : undefined,
    edges: flags.edge.length > 0 ? flags.edge : undefined,
  };
}

/** `arch=arm64,riscv64` means any of them. */
function expressionOf(key: string, op: string, value: string): Record<string, unknown> {
  if (!value.includes(',') || (op !== '=' && op !== '!=')) return { key, op, value };
  return { key, op: op === '=' ? 'in' : 'notIn', value: value.split(',') };
}
