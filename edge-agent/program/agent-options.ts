import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExecutorName } from '../../core/model/job.ts';
import { edgePowerDefault, powerMax } from '../../core/model/limits.ts';
import { isName } from '../../core/model/names.ts';
import { edgesPerProcessMax } from '../limits.ts';

/**
 * What the command line and the environment say, checked once. A flag wins over the environment.
 */
export type AgentOptions = {
  /** The edges of this process. */
  readonly names: readonly string[];
  readonly api: string;
  readonly enrolToken: string | null;
  readonly pool: string | null;
  /** Capacity; `null`: measured, a hundred for each core. */
  readonly power: number | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Executors to offer; `null`: all that the host has. */
  readonly executors: readonly string[] | null;
  /** The agent's own directory. */
  readonly dataDirectory: string;
  readonly transport: 'mqtt' | 'http';
  readonly policyFile: string | null;
  readonly drawPower: boolean;
  readonly quiet: boolean;
};

export class UsageError extends Error {}

export const agentUsage = `Usage: edgewise agent --name NAME [options]

  --name NAME          name of the edge (EDGE_NAME)
  --count N            run N edges: NAME-0 … NAME-(N-1) (EDGE_COUNT)
  --api URL            address of the Edgewise API (EDGEWISE_API)
  --enrol-token T      token for the first start (EDGEWISE_ENROL_TOKEN)
  --pool POOL          pool to enrol in
  --power W            power of each edge, or "measured" (EDGE_POWER; default ${edgePowerDefault})
  --label K=V          label; may be repeated
  --executor NAME      offer only this executor; may be repeated or comma separated
  --data DIR           where the agent keeps its state (EDGEWISE_DATA)
  --transport T        mqtt or http (EDGEWISE_TRANSPORT; default mqtt)
  --policy FILE        what the owner of this edge allows (EDGEWISE_POLICY)
  --draw-power         simulated chunks draw random power instead of what they reserve
  --quiet              print only what matters
  --version, --help

  edgewise agent doctor …   explains what is wrong with this edge, if anything
`;

const optionTable = {
  name: { type: 'string' },
  count: { type: 'string' },
  api: { type: 'string' },
  'enrol-token': { type: 'string' },
  pool: { type: 'string' },
  power: { type: 'string' },
  label: { type: 'string', multiple: true },
  executor: { type: 'string', multiple: true },
  data: { type: 'string' },
  transport: { type: 'string' },
  policy: { type: 'string' },
  'draw-power': { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;

export function parseAgentOptions(argv: readonly string[], given: Environment): AgentOptions {
  // A variable without a value is one that the file of a service only names.
  const env: Environment = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== ''),
  );
  const values = parseFlags(argv);
  const name = values.name ?? env.EDGE_NAME;
  if (name === undefined || name === '') throw new UsageError('Name the edge: --name NAME.');
  const count = values.count ?? env.EDGE_COUNT;
  const transport = values.transport ?? env.EDGEWISE_TRANSPORT ?? 'mqtt';
  if (transport !== 'mqtt' && transport !== 'http') {
    throw new UsageError(`--transport is mqtt or http, not "${transport}".`);
  }
  return {
    names: edgeNames(name, count),
    api: checkUrl(values.api ?? env.EDGEWISE_API),
    enrolToken: values['enrol-token'] ?? env.EDGEWISE_ENROL_TOKEN ?? null,
    pool: values.pool ?? env.EDGEWISE_POOL ?? null,
    power: parsePower(values.power ?? env.EDGE_POWER),
    labels: parseLabels(values.label ?? []),
    executors: parseExecutors(values.executor),
    dataDirectory: join(values.data ?? env.EDGEWISE_DATA ?? defaultData(env), name),
    transport,
    policyFile: values.policy ?? env.EDGEWISE_POLICY ?? null,
    drawPower: values['draw-power'] ?? false,
    quiet: values.quiet ?? false,
  };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: optionTable, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? 'Wrong arguments.');
  }
}

/** One edge is called as it is named; several are numbered from zero. */
function edgeNames(name: string, count: string | undefined): string[] {
  if (count === undefined || count === '') return [checkName(name)];
  const number = Number(count);
  if (!Number.isInteger(number) || number < 1 || number > edgesPerProcessMax) {
    throw new UsageError(`--count is a number from 1 to ${edgesPerProcessMax}, not "${count}".`);
  }
  return Array.from({ length: number }, (_, index) => checkName(`${name}-${index}`));
}

function checkName(name: string): string {
  if (isName(name)) return name;
  throw new UsageError(
    `"${name}" cannot name an edge: small letters, digits and dashes, at most 64, ` +
      'no dash at an end.',
  );
}

function checkUrl(text: string | undefined): string {
  if (text === undefined || text === '') {
    throw new UsageError('Say where the API is: --api URL, or EDGEWISE_API.');
  }
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`--api is a URL such as https://api.example.com, not "${text}".`);
  }
  return text;
}

function parsePower(text: string | undefined): number | null {
  if (text === undefined || text === '') return edgePowerDefault;
  if (text === 'measured') return null;
  const power = Number(text);
  if (Number.isFinite(power) && power > 0 && power <= powerMax) return power;
  throw new UsageError(`--power is a positive number up to ${powerMax}, or "measured".`);
}

function parseLabels(pairs: readonly string[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--label is KEY=VALUE, not "${pair}".`);
    labels[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return labels;
}

const executorNames: readonly string[] = [
  'simulate',
  'process',
  'container',
  'slurm',
  'flux',
] satisfies ExecutorName[];

/** An edge that offers nothing would refuse whatever it is given. */
function parseExecutors(items: readonly string[] | undefined): string[] | null {
  if (items === undefined) return null;
  const wanted = items.flatMap((item) => item.split(',')).filter((item) => item !== '');
  const strange = wanted.find((item) => !executorNames.includes(item));
  if (strange === undefined && wanted.length > 0) return wanted;
  throw new UsageError(
    `--executor is one of ${executorNames.join(', ')}, not "${strange ?? items.join(',')}".`,
  );
}

function defaultData(env: Environment): string {
  if (env.STATE_DIRECTORY) return env.STATE_DIRECTORY;
  return join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state'), 'edgewise');
}
