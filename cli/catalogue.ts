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
  'job files': () => import('./results/list-files.ts'),
  'job pull': () => import('./results/pull-job.ts'),
  'job set': () => import('./job/set-job.ts'),
  'job retry': () => import('./job/retry-job.ts'),
  'job cancel': () => import('./job/cancel-job.ts'),
  'job purge': () => import('./job/purge-job.ts'),
  'chunk list': () => import('./chunk/list-chunks.ts'),
  'chunk get': () => import('./chunk/get-chunk.ts'),
  'chunk logs': () => import('./chunk/read-chunk-logs.ts'),
  'chunk retry': () => import('./chunk/retry-chunks.ts'),
  'chunk cancel': () => import('./chunk/cancel-chunks.ts'),
  'jobspec submit': () => import('./jobspec/submit-jobspec.ts'),
  'jobspec satisfy': () => import('./jobspec/satisfy-jobspec.ts'),
  'jobspec check': () => import('./jobspec/check-jobspec.ts'),
  'jobspec convert': () => import('./jobspec/convert-jobspec.ts'),
  'jobspec list': () => import('./jobspec/list-jobspecs.ts'),
  'jobspec get': () => import('./jobspec/get-jobspec.ts'),
  'jobspec graph': () => import('./jobspec/graph-jobspec.ts'),
  'jobspec explain': () => import('./jobspec/explain-jobspec.ts'),
  'jobspec retry': () => import('./jobspec/retry-jobspec.ts'),
  'jobspec cancel': () => import('./jobspec/cancel-jobspec.ts'),
  'service create': () => import('./service/create-service.ts'),
  'service list': () => import('./service/list-services.ts'),
  'service get': () => import('./service/get-service.ts'),
  'service logs': () => import('./service/read-service-logs.ts'),
  'service wait': () => import('./service/wait-service.ts'),
  'service scale': () => import('./service/scale-service.ts'),
  'service update': () => import('./service/update-service.ts'),
  'service rollback': () => import('./service/rollback-service.ts'),
  'service restart': () => import('./service/restart-service.ts'),
  'service stop': () => import('./service/stop-instance.ts'),
  'service delete': () => import('./service/delete-service.ts'),
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
  'cluster register': () => import('./cluster/register-cluster.ts'),
  'cluster describe': () => import('./cluster/describe-cluster.ts'),
  'cluster nodes': () => import('./cluster/read-nodes.ts'),
  'cluster subsystem': () => import('./cluster/change-subsystem.ts'),
  'cluster state': () => import('./cluster/set-state.ts'),
  'cluster offers': () => import('./cluster/list-offers.ts'),
  'cluster accept': () => import('./cluster/accept-offers.ts'),
  'cluster receive': () => import('./cluster/receive-work.ts'),
  'cluster release': () => import('./cluster/release-work.ts'),
  'pool list': () => import('./pool/list-pools.ts'),
  'pool get': () => import('./pool/get-pool.ts'),
  'pool set': () => import('./pool/set-pool.ts'),
  'pool remove': () => import('./pool/remove-pool.ts'),
  'schedule create': () => import('./schedule/create-schedule.ts'),
  'schedule list': () => import('./schedule/list-schedules.ts'),
  'schedule get': () => import('./schedule/get-schedule.ts'),
  'schedule pause': () => import('./schedule/pause-schedule.ts'),
  'schedule resume': () => import('./schedule/resume-schedule.ts'),
  'schedule run': () => import('./schedule/run-schedule.ts'),
  'schedule runs': () => import('./schedule/list-runs.ts'),
  'schedule remove': () => import('./schedule/remove-schedule.ts'),
  'webhook create': () => import('./webhook/create-webhook.ts'),
  'webhook list': () => import('./webhook/list-webhooks.ts'),
  'webhook get': () => import('./webhook/get-webhook.ts'),
  'webhook remove': () => import('./webhook/remove-webhook.ts'),
  'queue list': () => import('./queue/list-queues.ts'),
  'queue get': () => import('./queue/get-queue.ts'),
  'queue set': () => import('./queue/set-queue.ts'),
  'queue remove': () => import('./queue/remove-queue.ts'),
  'token create': () => import('./token/create-token.ts'),
  'token list': () => import('./token/list-tokens.ts'),
  'token revoke': () => import('./token/revoke-token.ts'),
  'federation apply': () => import('./federation/apply-federation.ts'),
  'federation diff': () => import('./federation/diff-federation.ts'),
  'config list': () => import('./config/list-contexts.ts'),
  'config show': () => import('./config/show-settings.ts'),
  'config set': () => import('./config/set-context.ts'),
  'config use': () => import('./config/use-context.ts'),
  'config remove': () => import('./config/remove-context.ts'),
  events: () => import('./fleet/list-events.ts'),
  status: () => import('./fleet/show-status.ts'),
  audit: () => import('./audit/list-audit.ts'),
  agent: () => import('./agent/run-agent.ts'),
  fleet: () => import('./fleet/run-fleet.ts'),
  request: () => import('./fleet/request-jobs.ts'),
  up: () => import('./local/start-cloud.ts'),
  down: () => import('./local/stop-cloud.ts'),
  sign: () => import('./sign/sign-job.ts'),
  login: () => import('./login/login.ts'),
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
  files: 'job files',
  pull: 'job pull',
};

const nouns: Readonly<Record<string, string>> = {
  job: 'submit and follow work',
  chunk: 'the parts of a job that run by themselves',
  jobspec: 'workflows with what they need, checked, matched and placed whole',
  service: 'programs that are kept running',
  edge: 'the places that run it',
  cluster: 'edges with a graph, and what they take',
  pool: 'named sets of edges',
  schedule: 'jobs that are made again and again',
  webhook: 'addresses that are notified of events',
  queue: 'shares, order and quotas of the backlog',
  token: 'who may do what',
  federation: 'several deployments, from one description',
  config: 'contexts: which API, with which token',
};

/** Words of other tools for a verb, where a noun has no verb of that name. */
const sameVerbs = new Map([
  ['delete', 'remove'],
  ['rm', 'remove'],
  ['remove', 'delete'],
  ['ls', 'list'],
  ['show', 'get'],
  ['describe', 'get'],
]);

export const catalogue: Catalogue = {
  commands: new Map(Object.entries(commands)),
  shortcuts: new Map(Object.entries(shortcuts)),
  nouns: new Map(Object.entries(nouns)),
};

export function findVerb(noun: string, verb: string): LoadCommand | undefined {
  const same = sameVerbs.get(verb) ?? verb;
  const { commands: all } = catalogue;
  return all.get(`${noun} ${verb}`) ?? all.get(`${noun} ${same}`);
}

export function verbsOf(noun: string): string[] {
  return [...catalogue.commands.keys()]
    .filter((name) => name.startsWith(`${noun} `))
    .map((name) => name.slice(noun.length + 1));
}
