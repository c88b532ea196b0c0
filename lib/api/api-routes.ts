import { type ApiFunction, type Route, routes } from '../../core/contract/routes.ts';

/**
 * How the API's functions are grouped by what they may do, with their sizes and how fast their
 * routes may be called. Which route belongs to which function, and which scope it asks for, is in
 * `core/contract/routes.ts`: the functions check it.
 */
export type ApiFunctionSettings = {
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
};

export const apiFunctions: Readonly<Record<ApiFunction, ApiFunctionSettings>> = {
  public: {
    description: 'Health, the OpenAPI document and its explorer; answers unknown addresses',
    memoryMb: 512,
    timeoutSeconds: 10,
  },
  'jobs-read': {
    description: 'Reads jobs, chunks, outputs, events and figures',
    memoryMb: 1_024,
    timeoutSeconds: 15,
  },
  'jobs-write': {
    description: 'Submits, changes, cancels and retries jobs',
    memoryMb: 1_024,
    timeoutSeconds: 15,
  },
  jobspecs: {
    description: 'Translates jobspecs (version 1) and submits them',
    memoryMb: 512,
    timeoutSeconds: 20,
  },
  edges: {
    description: 'Reads edges and their settings, cordons and drains them',
    memoryMb: 1_024,
    timeoutSeconds: 15,
  },
  enrol: {
    description: 'Enrols and removes edges: the only one that makes certificates',
    memoryMb: 512,
    timeoutSeconds: 25,
  },
  clusters: {
    description: 'Graphs and states of clusters, what they are offered and take',
    memoryMb: 1_024,
    timeoutSeconds: 29,
  },
  'edge-link': {
    description: 'Takes reports of edges over HTTPS and hands out their work',
    memoryMb: 512,
    timeoutSeconds: 10,
  },
  live: {
    description: 'Outputs while they are printed and afterwards; its requests wait',
    memoryMb: 512,
    timeoutSeconds: 29,
  },
  files: {
    description: 'Says where files of jobs are put and read',
    memoryMb: 1_024,
    timeoutSeconds: 15,
  },
  webhooks: {
    description: 'Addresses that are notified of events',
    memoryMb: 512,
    timeoutSeconds: 15,
  },
  schedules: {
    description: 'Jobs that are made again and again',
    memoryMb: 1_024,
    timeoutSeconds: 29,
  },
  admin: {
    description: 'Pools, queues, tokens and the audit trail',
    memoryMb: 512,
    timeoutSeconds: 15,
  },
  graphql: {
    description: 'The fleet as a graph',
    memoryMb: 1_024,
    timeoutSeconds: 15,
  },
};

export type Throttle = { readonly ratePerSecond: number; readonly burst: number };

/**
 * All routes together; IoT Core and DynamoDB are far above this, an account's API quota is 10,000.
 */
export const apiThrottle: Throttle = { ratePerSecond: 5_000, burst: 2_500 };

/** Expensive routes have lower limits. */
export const routeThrottles: Readonly<Record<string, Throttle>> = {
  'POST /v1/jobs': { ratePerSecond: 1_000, burst: 1_000 },
  'POST /v1/jobs/batch': { ratePerSecond: 50, burst: 50 },
  'POST /v1/edges': { ratePerSecond: 20, burst: 100 },
  'POST /graphql': { ratePerSecond: 200, burst: 200 },
};

export function routesOf(name: ApiFunction): readonly Route[] {
  return routes.filter((route) => route.function === name);
}

/** Names of the functions that have routes. */
export function servedFunctions(): readonly ApiFunction[] {
  return [...new Set(routes.map((route) => route.function))];
}
