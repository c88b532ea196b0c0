import { fleetEventsSchema } from '../event-body.ts';
import { bodyProblems, missing, type Operation, once, paging } from '../operation.ts';
import {
  newWebhookSchema,
  webhookBodySchema,
  webhookListSchema,
  webhookSchema,
} from './webhook-body.ts';

const ofEvents = {
  after: 'the cursor of the answer before; `now`: what happens from now on',
  kinds: 'only these, separated by commas: job.done,job.failed',
  job: 'only of this job',
  edge: 'only of this edge',
  jobspec: 'only of jobs of this submission',
  pool: 'only of this pool',
};

/** What the operations about events and who is notified of them take and answer. */
export const webhookOperations: Readonly<Record<string, Operation>> = {
  listFleetEvents: {
    summary: 'Read what happens in the fleet, and wait for it',
    tag: 'fleet',
    query: {
      ...ofEvents,
      waitSeconds: '0 to 25: how long to wait for the first event',
    },
    answers: { 200: fleetEventsSchema },
    problems: ['invalid-request', 'invalid-cursor', 'cursor-too-old'],
  },
  streamFleetEvents: {
    summary: 'Find where server-sent events of the fleet come as they happen',
    tag: 'fleet',
    query: ofEvents,
    answers: { 307: null },
    problems: ['invalid-request', 'invalid-cursor'],
  },
  createWebhook: {
    summary: 'Have an address notified of events from now on',
    tag: 'jobs',
    headers: ['idempotency-key'],
    body: { schema: webhookBodySchema },
    answers: { 201: newWebhookSchema },
    problems: [...bodyProblems, ...once, 'limit-reached'],
  },
  listWebhooks: {
    summary: 'List webhooks, the oldest first',
    tag: 'jobs',
    query: paging,
    answers: { 200: webhookListSchema },
    problems: ['invalid-request'],
  },
  getWebhook: {
    summary: 'Read a webhook, with what came of the last event',
    tag: 'jobs',
    headers: ['if-none-match'],
    answers: { 200: webhookSchema, 304: null },
    problems: missing,
  },
  removeWebhook: {
    summary: 'Remove a webhook; it is sent nothing more',
    tag: 'jobs',
    headers: ['if-match'],
    answers: { 204: null },
    problems: [...missing, 'precondition-failed'],
  },
};
