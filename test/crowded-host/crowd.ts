/**
 * A host on which much is installed and set that the product could stumble over: container engines,
 * half a Slurm and shells that answer oddly or fail, keys and addresses of another account, another
 * language, another time. All tests but those in a browser run on it, so that none can depend on
 * what else the host has, and neither can what it tests. Java is the host's: the second database
 * engine is a program in it.
 */
export type Crowd = {
  readonly programs: string;
  readonly home: string;
  readonly temporary: string;
};

const withRealPrograms = [
  'certified-issuer',
  'clients/',
  'device-sdk/',
  'edge-agent/(arm64|real-slurm)',
  'start/start.long',
  'clusters/(three|killed)-clusters',
];

/** Flows that install real programs, by the ways that the host has to them, stay on the host. */
export const onTheHost = new RegExp(`/flow/(${withRealPrograms.join('|')})`);

/** By name, what each does; `$1` is its first argument. */
export const programs: Readonly<Record<string, string>> = {
  docker: '[ "$1" = version ] && echo 99.0.0-rc1 || { echo "no storage driver" >&2; exit 125; }',
  podman: '[ "$1" = version ] && echo 5.99.2-odd; exit 0',
  sbatch: 'echo "slurm 99.11.0-0rc1"',
  squeue: 'echo "CLUSTER: odd"; exit 1',
  scancel: 'exit 1',
  sacct: 'exit 1',
  srun: 'exit 1',
  flux: '[ "$1" = version ] && echo "commands: 0.99.0"; exit 0',
  zsh: 'echo "not the zsh that was meant"',
  fish: 'echo "fish, version 9.9.9"',
  chromium: 'exit 1',
  bun: 'exit 1',
  aws: 'exit 255',
  cdk: 'exit 1',
  'qemu-aarch64-static': 'exit 1',
};

const nowhere = 'http://127.0.0.1:9';
/** Not even root can make this directory. */
const noPlace = '/dev/null/none';

/** Files of the home directory, by path. */
export const homeFiles: Readonly<Record<string, string>> = {
  '.aws/config': '[profile strange]\nregion = xx-nowhere-1\nrole_arn = none\n',
  '.aws/credentials': '[strange]\naws_access_key_id = AKIASTRANGE\n',
  '.cdk.json': '{"context":{"strange":true}}\n',
  '.config/edgewise/config.json': JSON.stringify({
    current: 'strange',
    contexts: { strange: { api: nowhere, token: 'strange' } },
  }),
  noise: 'echo a shell that greets\n',
};

export function crowdedEnvironment({ home, temporary }: Crowd): Record<string, string> {
  return {
    ...{ HOME: home, TMPDIR: temporary, BASH_ENV: `${home}/noise`, ENV: `${home}/noise` },
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_STATE_HOME: `${home}/state`,
    ...{ TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
    // Programs that keep compiled code do so below the temporary directory, if nobody says where.
    NODE_COMPILE_CACHE: `${home}/compiled`,
    ...{ TERM: 'dumb', COLUMNS: '37', LINES: '3', FORCE_COLOR: '1', NODE_ENV: 'production' },
    ...{ AWS_PROFILE: 'strange', AWS_REGION: 'xx-nowhere-1', AWS_DEFAULT_REGION: 'xx-nowhere-1' },
    AWS_ACCESS_KEY_ID: 'AKIASTRANGE',
    AWS_SECRET_ACCESS_KEY: 'strange',
    AWS_SESSION_TOKEN: 'strange',
    AWS_ENDPOINT_URL: nowhere,
    AWS_CA_BUNDLE: noPlace,
    ...{ CDK_DEFAULT_ACCOUNT: '999999999999', CDK_DEFAULT_REGION: 'xx-nowhere-1' },
    CDK_OUTDIR: noPlace,
    ...{ EDGEWISE_API: nowhere, EDGEWISE_TOKEN: 'strange', EDGEWISE_CONTEXT: 'strange' },
    ...{ EDGEWISE_ENROL_TOKEN: 'strange', EDGEWISE_NAME: 'strange', EDGEWISE_POWER: '7' },
    ...{ EDGEWISE_DATA: noPlace, EDGEWISE_POLICY: noPlace, EDGEWISE_POOL: 'strange' },
    ...{ EDGEWISE_TRANSPORT: 'http', EDGEWISE_OUTPUT: 'yaml', EDGEWISE_DEBUG: '1' },
    ...{ SLURM_CONF: noPlace, DOCKER_HOST: 'tcp://127.0.0.1:9', FLUX_URI: 'local:///nowhere' },
    ...{ http_proxy: nowhere, https_proxy: nowhere, all_proxy: nowhere },
    ...{ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, ALL_PROXY: nowhere },
    ...{ NODE_OPTIONS: '--stack-trace-limit=20', GIT_DIR: noPlace },
  };
}
