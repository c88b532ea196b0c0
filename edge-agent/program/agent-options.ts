import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { acceptJobsMax } from '../../core/graph/limits.ts';
import { edgePowerDefault, pollSecondsMax, powerMax } from '../../core/model/limits.ts';
import { isName } from '../../core/model/names.ts';
import type { AgentExecutorName } from '../host/host-inspection.ts';
import { chunkUserDefault } from '../host/isolation.ts';
import { type LogOptions, parseLog } from '../host/log-lines.ts';
import { edgesPerProcessMax, offersEveryDefaultMs, offersLookedDefault } from '../limits.ts';
import { parseBrokerAddress } from '../link/broker-address.ts';
import type { PullOptions } from '../link/offer-taker.ts';
import { type MetricsAddress, parseMetrics } from '../metrics/metrics-address.ts';
import { type DownstreamOptions, downstreamTable, parseDownstream } from './downstream-options.ts';
import { readTokenFile } from './secrets.ts';
import { UsageError } from './usage-error.ts';

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
  /** Where chunks have their directories; `null`: in the agent's own. */
  readonly workDirectory: string | null;
  /** Bytes that files of jobs may take here; `null`: a tenth of the disk. */
  readonly cacheBytes: number | null;
  /** Who chunks run as; `null`: the package's user, where there is one. */
  readonly chunkUser: string | null;
  readonly transport: 'mqtt' | 'http';
  /** Where the broker is; `null`: where the control plane says. */
  readonly mqttEndpoint: string | null;
  /** Takes its work by itself; `null`: it is given work. */
  readonly pull: PullOptions | null;
  /** Of an edge that was registered before; nothing is enrolled then. */
  readonly edgeSecret: string | null;
  /** The deployment that runs what this edge is given; `null`: this host does. */
  readonly downstream: DownstreamOptions | null;
  /** Where others reach this host; `null`: as it finds by itself. */
  readonly address: string | null;
  readonly policyFile: string | null;
  readonly drawPower: boolean;
  readonly quiet: boolean;
  /** How it says what it does. */
  readonly log: LogOptions;
  /** Where its figures are read; `null`: nowhere. */
  readonly metrics: MetricsAddress | null;
};

export const agentUsage = `Usage: edgewise agent --name NAME [options]

  --name NAME          name of the edge (EDGE_NAME)
  --count N            run N edges: NAME-0 … NAME-(N-1) (EDGE_COUNT)
  --api URL            address of the Edgewise API (EDGEWISE_API)
  --enrol-token-file F file with the token for the first start, or - for standard input
                       (EDGEWISE_ENROL_TOKEN_FILE, or the token itself in EDGEWISE_ENROL_TOKEN)
  --enrol-token T      the same where everybody on this host can read it
  --pool POOL          pool to enrol in
  --power W            power of each edge, or "measured" (EDGE_POWER; default ${edgePowerDefault})
  --label K=V          label; may be repeated
  --executor NAME      offer only this executor; may be repeated or comma separated
  --data DIR           where the agent keeps its state (EDGEWISE_DATA)
  --work-dir DIR       where chunks have their directories; the nodes of a cluster must see it
                       (EDGEWISE_WORK_DIR; default in the state)
  --cache-bytes N      how much files of jobs may take here (EDGEWISE_CACHE_BYTES; default a
                       tenth of the disk)
  --chunk-user USER    run chunks as this user, or "none" (EDGEWISE_CHUNK_USER; default
                       ${chunkUserDefault}, where there is one)
  --transport T        mqtt or http (EDGEWISE_TRANSPORT; default mqtt)
  --mqtt-endpoint E    HOST:PORT of the broker, when it is not what the API says
                       (EDGEWISE_MQTT_ENDPOINT)
  --address HOST       where others reach the ports of services on this host
                       (EDGEWISE_ADDRESS; default its first address)
  --pull               take work by oneself, by what is free, over HTTPS
  --max N              look at so many offers at once (default ${offersLookedDefault})
  --every SECONDS      … this often (default ${offersEveryDefaultMs / 1_000})
  --offers WHICH       named or pool: jobs that name it, or all of its pool that fit (default pool)
  --policy FILE        what the owner of this edge allows (EDGEWISE_POLICY)
  --executor edgewise  hand everything over to another deployment, which --downstream-… name:
  --downstream-api URL its API (EDGEWISE_DOWNSTREAM_API)
  --downstream-token-file F   file with a token for its jobs and edges, or - for standard input
                       (EDGEWISE_DOWNSTREAM_TOKEN_FILE, or itself in EDGEWISE_DOWNSTREAM_TOKEN)
  --downstream-token T the same where everybody on this host can read it
  --downstream-pool P  the pool that this edge is (EDGEWISE_DOWNSTREAM_POOL; default default)
  --draw-power         simulated chunks draw random power instead of what they reserve
  --quiet              print only what matters
  --log-format FORMAT  text or json, an object on each line (EDGEWISE_LOG_FORMAT; default text)
  --log-level LEVEL    info, warning or error: that and what is worse (EDGEWISE_LOG_LEVEL;
                       default info)
  --metrics PORT       figures for Prometheus on 127.0.0.1:PORT, below /metrics; HOST:PORT lets
                       others read them (EDGEWISE_METRICS; default off)
  --version, --help

  edgewise agent doctor …   explains what is wrong with this edge, if anything
  edgewise agent update     takes the newest release, where the policy says whose; off by default
`;

const optionTable = {
  name: { type: 'string' },
  count: { type: 'string' },
  api: { type: 'string' },
  'enrol-token': { type: 'string' },
  'enrol-token-file': { type: 'string' },
  pool: { type: 'string' },
  power: { type: 'string' },
  label: { type: 'string', multiple: true },
  executor: { type: 'string', multiple: true },
  data: { type: 'string' },
  'work-dir': { type: 'string' },
  'cache-bytes': { type: 'string' },
  'chunk-user': { type: 'string' },
  transport: { type: 'string' },
  'mqtt-endpoint': { type: 'string' },
  address: { type: 'string' },
  pull: { type: 'boolean' },
  max: { type: 'string' },
  every: { type: 'string' },
  offers: { type: 'string' },
  policy: { type: 'string' },
  ...downstreamTable,
  'draw-power': { type: 'boolean' },
  quiet: { type: 'boolean' },
  'log-format': { type: 'string' },
  'log-level': { type: 'string' },
  metrics: { type: 'string' },
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
  const pull = parsePull(values);
  const downstream = parseDownstream(values, env);
  const transport = parseTransport(values.transport ?? env.EDGEWISE_TRANSPORT, pull);
  return {
    names: edgeNames(name, count),
    api: checkUrl(values.api ?? env.EDGEWISE_API),
    enrolToken: enrolTokenOf(values, env),
    pool: values.pool ?? env.EDGEWISE_POOL ?? null,
    power: parsePower(values.power ?? env.EDGE_POWER),
    labels: parseLabels(values.label ?? []),
    executors: downstream === null ? parseExecutors(values.executor) : null,
    dataDirectory: join(values.data ?? env.EDGEWISE_DATA ?? defaultData(env), name),
    workDirectory: workDirectoryOf(values['work-dir'] ?? env.EDGEWISE_WORK_DIR, env, name),
    cacheBytes: parseBytes(values['cache-bytes'] ?? env.EDGEWISE_CACHE_BYTES),
    chunkUser: values['chunk-user'] ?? env.EDGEWISE_CHUNK_USER ?? null,
    transport,
    pull,
    downstream,
    edgeSecret: env.EDGEWISE_EDGE_SECRET ?? null,
    mqttEndpoint: checkBroker(values['mqtt-endpoint'] ?? env.EDGEWISE_MQTT_ENDPOINT),
    address: parseAddress(values.address ?? env.EDGEWISE_ADDRESS),
    policyFile: values.policy ?? env.EDGEWISE_POLICY ?? null,
    drawPower: values['draw-power'] ?? false,
    quiet: values.quiet ?? false,
    log: parseLog(
      values['log-format'] ?? env.EDGEWISE_LOG_FORMAT,
      values['log-level'] ?? env.EDGEWISE_LOG_LEVEL,
    ),
    metrics: parseMetrics(values.metrics ?? env.EDGEWISE_METRICS),
  };
}

/** As it stands in an address of a page. */
function parseAddress(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (/^[A-Za-z0-9.:-]{1,253}$/.test(given)) return given;
  throw new UsageError(`--address is the name or the number of a host, not ${given}.`);
}

/** A flag wins over the environment, whichever of the two forms it has. */
function enrolTokenOf(flags: ReturnType<typeof parseFlags>, env: Environment): string | null {
  const file = flags['enrol-token-file'];
  if (flags['enrol-token'] !== undefined && file !== undefined) {
    throw new UsageError('Give --enrol-token-file or --enrol-token, not both.');
  }
  if (flags['enrol-token'] !== undefined) return flags['enrol-token'];
  if (file !== undefined) return tokenIn(file);
  if (env.EDGEWISE_ENROL_TOKEN !== undefined) return env.EDGEWISE_ENROL_TOKEN;
  const named = env.EDGEWISE_ENROL_TOKEN_FILE;
  return named === undefined ? null : tokenIn(named);
}

function tokenIn(file: string): string | null {
  try {
    return readTokenFile(file);
  } catch (error) {
    throw new UsageError(`The token cannot be read: ${(error as Error).message}.`);
  }
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

function checkBroker(text: string | undefined): string | null {
  if (text === undefined || parseBrokerAddress(text) !== null) return text ?? null;
  throw new UsageError(
    `--mqtt-endpoint is HOST:PORT, or mqtt://HOST:PORT on this machine, not "${text}".`,
  );
}

function parsePower(text: string | undefined): number | null {
  if (text === undefined || text === '') return edgePowerDefault;
  if (text === 'measured') return null;
  const power = Number(text);
  if (Number.isFinite(power) && power > 0 && power <= powerMax) return power;
  throw new UsageError(`--power is a positive number up to ${powerMax}, or "measured".`);
}

function parseTransport(text: string | undefined, pull: PullOptions | null): 'mqtt' | 'http' {
  const transport = text ?? (pull === null ? 'mqtt' : 'http');
  if (transport !== 'mqtt' && transport !== 'http') {
    throw new UsageError(`--transport is mqtt or http, not "${transport}".`);
  }
  if (pull === null || transport === 'http') return transport;
  throw new UsageError('--pull asks over HTTPS: leave out --transport, or say http.');
}

type PullFlags = Pick<ReturnType<typeof parseFlags>, 'pull' | 'max' | 'every' | 'offers'>;

function parsePull({ pull = false, max, every, offers = 'pool' }: PullFlags): PullOptions | null {
  if (!pull) {
    if (max === undefined && every === undefined) return null;
    throw new UsageError('--max and --every belong to --pull.');
  }
  if (offers !== 'named' && offers !== 'pool') {
    throw new UsageError(`--offers is named or pool, not "${offers}".`);
  }
  return {
    max: wholeFrom('--max', max, offersLookedDefault, acceptJobsMax),
    everyMs: 1_000 * wholeFrom('--every', every, offersEveryDefaultMs / 1_000, pollSecondsMax),
    offers,
  };
}

function wholeFrom(flag: string, text: string | undefined, otherwise: number, most: number) {
  const number = Number(text?.replace(/s$/, '') ?? otherwise);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new UsageError(`${flag} is a whole number from 1 to ${most}, not "${text}".`);
}

function parseBytes(text: string | undefined): number | null {
  if (text === undefined) return null;
  const bytes = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(bytes)) return bytes;
  throw new UsageError(`--cache-bytes is a number of bytes, not "${text}".`);
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
] satisfies AgentExecutorName[];

/** An edge that offers nothing would refuse whatever it is given. */
function parseExecutors(items: readonly string[] | undefined): string[] | null {
  if (items === undefined) return null;
  const wanted = items.flatMap((item) => item.split(',')).filter((item) => item !== '');
  const strange = wanted.find((item) => !executorNames.includes(item));
  if (strange === undefined && wanted.length > 0) return wanted;
  throw new UsageError(
    `--executor is edgewise or one of ${executorNames.join(', ')}, ` +
      `not "${strange ?? items.join(',')}".`,
  );
}

/** The package gives chunks a place that their user may enter. */
function workDirectoryOf(given: string | undefined, env: Environment, name: string): string | null {
  const directory = given ?? env.CACHE_DIRECTORY;
  return directory === undefined ? null : resolve(directory, name);
}

function defaultData(env: Environment): string {
  if (env.STATE_DIRECTORY) return env.STATE_DIRECTORY;
  return join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state'), 'edgewise');
}
