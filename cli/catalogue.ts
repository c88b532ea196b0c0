import type { Catalogue, LoadCommand } from './command.ts';

/**
 * Every command by its name. Words come from the user and are looked up in maps: `constructor` is
 * no command.
 */
const commands: Readonly<Record<string, LoadCommand>> = {
  'job submit': () => import('./job/submit-job.ts'),
  'job list': () => import('./job/list-jobs.ts'),
  'job get': () => import('./job/get-job.ts'),
  'job plan': () => import('./job/plan-job.ts'),
  'job wait': () => import('./job/wait-job.ts'),
  'job watch': () => import('./job/watch-job.ts'),
  'job explain': () => import('./job/explain-job.ts'),
  'job logs': () => import('./job/read-logs.ts'),
  'job chunks': () => import('./job/list-chunks.ts'),
  'job executions': () => import('./job/list-executions.ts'),
  'job events': () => import('./job/list-events.ts'),
  'job set': () => import('./job/set-job.ts'),
  'job retry': () => import('./job/retry-job.ts'),
  'job cancel': () => import('./job/cancel-job.ts'),
  'job purge': () => import('./job/purge-job.ts'),
  'edge list': () => import('./edge/list-edges.ts'),
  'edge get': () => import('./edge/get-edge.ts'),
  'edge jobs': () => import('./edge/list-edge-jobs.ts'),
  'edge set': () => import('./edge/set-edge.ts'),
  'edge cordon': () => import('./edge/cordon-edge.ts'),
  'edge uncordon': () => import('./edge/uncordon-edge.ts'),
  'edge drain': () => import('./edge/drain-edge.ts'),
  'edge remove': () => import('./edge/remove-edge.ts'),
  'edge enrol': () => import('./edge/enrol-edge.ts'),
  'edge work': () => import('./edge/get-edge-work.ts'),
  'edge report': () => import('./edge/report-edge.ts'),
  'pool list': () => import('./pool/list-pools.ts'),
  'pool get': () => import('./pool/get-pool.ts'),
  'pool set': () => import('./pool/set-pool.ts'),
  'queue list': () => import('./queue/list-queues.ts'),
  'queue get': () => import('./queue/get-queue.ts'),
  'queue set': () => import('./queue/set-queue.ts'),
  'token create': () => import('./token/create-token.ts'),
  'token list': () => import('./token/list-tokens.ts'),
  'token revoke': () => import('./token/revoke-token.ts'),
  'config list': () => import('./config/list-contexts.ts'),
  'config show': () => import('./config/show-settings.ts'),
  'config set': () => import('./config/set-context.ts'),
  'config use': () => import('./config/use-context.ts'),
  'config remove': () => import('./config/remove-context.ts'),
  status: () => import('./fleet/show-status.ts'),
  audit: () => import('./audit/list-audit.ts'),
  agent: () => import('./agent/run-agent.ts'),
  fleet: () => import('./fleet/run-fleet.ts'),
  request: () => import('./fleet/request-jobs.ts'),
  up: () => import('./local/start-cloud.ts'),
  down: () => import('./local/stop-cloud.ts'),
  completion: () => import('./completion/print-completion.ts'),
  doctor: () => import('./local/run-doctor.ts'),
  version: () => import('./local/show-version.ts'),
};

/** Top-level words for what is used every day. */
const shortcuts: Readonly<Record<string, string>> = {
  submit: 'job submit',
  logs: 'job logs',
  watch: 'job watch',
  explain: 'job explain',
};

const nouns: Readonly<Record<string, string>> = {
  job: 'submit and follow work',
  edge: 'the places that run it',
  pool: 'named sets of edges',
  queue: 'shares, order and quotas of the backlog',
  token: 'who may do what',
  config: 'contexts: which API, with which token',
};

export const catalogue: Catalogue = {
  commands: new Map(Object.entries(commands)),
  shortcuts: new Map(Object.entries(shortcuts)),
  nouns: new Map(Object.entries(nouns)),
};

export function verbsOf(noun: string): string[] {
  return [...catalogue.commands.keys()]
    .filter((name) => name.startsWith(`${noun} `))
    .map((name) => name.slice(noun.length + 1));
}
