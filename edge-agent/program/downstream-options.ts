import { isName } from '../../core/model/names.ts';
import { readTokenFile } from './secrets.ts';
import { UsageError } from './usage-error.ts';

/** The deployment that an edge hands its work to. */
export type DownstreamOptions = {
  readonly api: string;
  /** `null`: the file that should have it is not there. */
  readonly token: string | null;
  readonly pool: string;
};

export const downstreamTable = {
  'downstream-api': { type: 'string' },
  'downstream-token': { type: 'string' },
  'downstream-token-file': { type: 'string' },
  'downstream-pool': { type: 'string' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

type Flags = Readonly<{ [name in keyof typeof downstreamTable]?: string | undefined }>;

/** `null`: the edge runs its chunks itself. */
export function parseDownstream(
  flags: Flags & { readonly executor?: readonly string[] | undefined; readonly pull?: boolean },
  env: Environment,
): DownstreamOptions | null {
  const names = flags.executor?.flatMap((item) => item.split(',')) ?? [];
  const api = flags['downstream-api'] ?? env.EDGEWISE_DOWNSTREAM_API;
  if (!names.includes('edgewise')) {
    const given = Object.keys(downstreamTable).find((name) => name in flags);
    if (given === undefined) return null;
    throw new UsageError(`--${given} belongs to --executor edgewise.`);
  }
  if (names.length > 1) throw new UsageError('--executor edgewise stands alone.');
  if (flags.pull) throw new UsageError('--pull and --executor edgewise do not go together.');
  if (api === undefined || !/^https?:\/\//.test(api) || !URL.canParse(api)) {
    throw new UsageError('Say where the deployment below is: --downstream-api URL.');
  }
  const pool = flags['downstream-pool'] ?? env.EDGEWISE_DOWNSTREAM_POOL ?? 'default';
  if (!isName(pool)) throw new UsageError(`--downstream-pool: "${pool}" cannot name a pool.`);
  return { api: api.replace(/\/+$/, '').replace(/\/v1$/, ''), token: tokenOf(flags, env), pool };
}

/** A flag wins over the environment, whichever of the two forms it has. */
function tokenOf(flags: Flags, env: Environment): string | null {
  const { 'downstream-token': token, 'downstream-token-file': file } = flags;
  if (token !== undefined && file !== undefined) {
    throw new UsageError('Give --downstream-token-file or --downstream-token, not both.');
  }
  if (token !== undefined) return token;
  if (file !== undefined) return tokenIn(file);
  if (env.EDGEWISE_DOWNSTREAM_TOKEN !== undefined) return env.EDGEWISE_DOWNSTREAM_TOKEN;
  const named = env.EDGEWISE_DOWNSTREAM_TOKEN_FILE;
  if (named !== undefined) return tokenIn(named);
  throw new UsageError('Give a token of the deployment below: --downstream-token-file FILE.');
}

function tokenIn(file: string): string | null {
  try {
    return readTokenFile(file);
  } catch (error) {
    throw new UsageError(`The token cannot be read: ${(error as Error).message}.`);
  }
}
