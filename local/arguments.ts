/** The command line of the local cloud. */
import { parseArgs } from 'node:util';
import { StartFailure } from './failure.ts';
import type { EngineName } from './services/dynamodb/database.ts';

export interface CloudArguments {
  readonly outDir: string;
  readonly stack: string;
  readonly portBase: number;
  readonly stateDir: string;
  readonly region: string;
  readonly engine: EngineName | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  /** Output that names a bucket → folder that fills it. */
  readonly files: Readonly<Record<string, string>>;
}

export const usage = `Runs the synthesized template on this machine.

  node local/main.ts --stack NAME [--out cdk.out] [--port-base 4566] [--state .edgewise]
                     [--database dynoxide|dynamodb-local] [--region us-east-1]
                     [--parameter Name=Value]… [--files BucketOutput=FOLDER]…

Ports: the base is the gateway of all AWS services, base+1 the HTTP API, base+2 MQTT, base+3
internal, base+4 the first distribution.`;

const portBaseMax = 65_000;

/** Undefined when help was asked for. */
export function parseArguments(argv: readonly string[]): CloudArguments | undefined {
  const values = read(argv);
  if (values.help === true) return undefined;
  const { stack, database } = values;
  if (stack === undefined) throw new StartFailure('Which stack? Name it with --stack NAME.');
  const portBase = Number(values['port-base'] ?? 4566);
  if (!Number.isInteger(portBase) || portBase < 1 || portBase > portBaseMax) {
    throw new StartFailure(`--port-base takes a number from 1 to ${portBaseMax}.`);
  }
  if (database !== undefined && database !== 'dynoxide' && database !== 'dynamodb-local') {
    throw new StartFailure('--database takes dynoxide or dynamodb-local.');
  }
  return {
    outDir: values.out ?? 'cdk.out',
    stack,
    portBase,
    stateDir: values.state ?? '.edgewise',
    region: values.region ?? 'us-east-1',
    engine: database,
    parameters: pairsOf('parameter', values.parameter),
    files: pairsOf('files', values.files),
  };
}

function read(argv: readonly string[]): {
  out?: string;
  stack?: string;
  'port-base'?: string;
  state?: string;
  region?: string;
  database?: string;
  parameter?: string[];
  files?: string[];
  help?: boolean;
} {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        out: { type: 'string' },
        stack: { type: 'string' },
        'port-base': { type: 'string' },
        state: { type: 'string' },
        region: { type: 'string' },
        database: { type: 'string' },
        parameter: { type: 'string', multiple: true },
        files: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new StartFailure(`${error instanceof Error ? error.message : error} See --help.`);
  }
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
