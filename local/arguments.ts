/** The command line of the local cloud. */
import { parseArgs } from 'node:util';
import { StartFailure } from './failure.ts';
import { streamShardsMax } from './limits.ts';
import type { EngineName } from './services/dynamodb/database.ts';

export type CloudArguments = {
  /** The folder that `cdk synth` wrote. */
  readonly app: string;
  /** Undefined: the only one of the app. */
  readonly stack: string | undefined;
  readonly portBase: number;
  readonly stateDir: string;
  readonly region: string;
  readonly engine: EngineName | undefined;
  /** Shards of each table's stream. */
  readonly streamShards: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** Output that names a bucket → folder that fills it. */
  readonly files: Readonly<Record<string, string>>;
  /** Names beside those of this machine that requests may be addressed to. */
  readonly allowedHosts: readonly string[];
};

const defaults = { app: 'cdk.out', portBase: 4566, state: '.edgewise-local', region: 'us-east-1' };

export const usage = `Runs one stack of a synthesized CDK app on this machine, until Ctrl-C.

Usage: edgewise-local [flags]
  --app DIR                    what "cdk synth" wrote (${defaults.app})
  --stack NAME                 which stack of it, when there are several
  --state DIR                  where it keeps its state and endpoints.json (${defaults.state})
  --port-base N                first of the ports it uses (${defaults.portBase})
  --region NAME                the region it plays (${defaults.region})
  --database NAME              dynoxide, or dynamodb-local (Java 17)
  --stream-shards N            shards of each table's stream (1)
  --parameter Name=Value       a parameter of the template; may be repeated
  --files BucketOutput=FOLDER  fills the bucket that this output names; may be repeated
  --allow-host NAME            a name under which a tunnel or proxy leads here; may be repeated
  --help                       this text

Ports: the base is the gateway of all AWS services, base+1 the HTTP API, base+2 MQTT, base+3
internal, base+4 the first distribution.

Example:
  npx cdk synth -q && npx edgewise-local --app cdk.out`;

const portBaseMax = 65_000;

/** Undefined when help was asked for. */
export function parseArguments(argv: readonly string[]): CloudArguments | undefined {
  const values = read(argv);
  if (values.help === true) return undefined;
  const { database } = values;
  const portBase = wholeOf('port-base', values['port-base'], defaults.portBase, portBaseMax);
  if (database !== undefined && database !== 'dynoxide' && database !== 'dynamodb-local') {
    throw new StartFailure('--database takes dynoxide or dynamodb-local.');
  }
  return {
    app: values.app ?? defaults.app,
    stack: values.stack,
    portBase,
    stateDir: values.state ?? defaults.state,
    region: values.region ?? defaults.region,
    engine: database,
    streamShards: wholeOf('stream-shards', values['stream-shards'], 1, streamShardsMax),
    parameters: pairsOf('parameter', values.parameter),
    files: pairsOf('files', values.files),
    allowedHosts: (values['allow-host'] ?? []).map(hostName),
  };
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        app: { type: 'string' },
        stack: { type: 'string' },
        'port-base': { type: 'string' },
        state: { type: 'string' },
        region: { type: 'string' },
        database: { type: 'string' },
        'stream-shards': { type: 'string' },
        parameter: { type: 'string', multiple: true },
        files: { type: 'string', multiple: true },
        'allow-host': { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // Of what Node says, the first sentence: the rest is about words that begin with a dash.
    const sentence = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new StartFailure(`${sentence?.replace(/\.?$/, '.')} See --help.`);
  }
}

function wholeOf(option: string, text: string | undefined, usual: number, most: number): number {
  const value = Number(text ?? usual);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new StartFailure(`--${option} takes a number from 1 to ${most}.`);
}

function pairsOf(option: string, texts: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new StartFailure(`--${option} takes Name=Value, not "${text}".`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function hostName(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text;
  throw new StartFailure(`--allow-host takes a name without port and path, not "${text}".`);
}
