import { ProblemError } from '../../../core/contract/problem.ts';
import {
  type NewWebhookAnswer,
  type WebhookBody,
  webhookBodySchema,
} from '../../../core/contract/webhooks/webhook-body.ts';
import { type Caller, isBound, nameOfCaller, seesPool } from '../../../core/model/caller.ts';
import { makeJobId } from '../../../core/model/names.ts';
import { webhooksMax } from '../../../core/webhooks/limits.ts';
import { faultOfReceiver } from '../../../core/webhooks/receiver-address.ts';
import { newDelivery, type Webhook } from '../../../core/webhooks/webhook.ts';
import { auditEvent } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { onceByKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { makeSecret } from '../jobs/change/end-receiver.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { webhookVersion, webhookView } from './webhook-view.ts';

/**
 * `POST /v1/webhooks`: from now on an address is notified of what its author may read. The secret
 * is in this one answer.
 */
type Needed = Pick<Ports, 'webhooks' | 'fleetLog' | 'random' | 'allowsLoopback' | 'idempotency'>;

export const createWebhook = onceByKey(
  defineOperation({
    name: 'createWebhook',
    read: (call): WebhookBody => {
      checkQuery(call, []);
      return readBody(call, webhookBodySchema);
    },
    run: async (body, context, deps: Needed): Promise<NewWebhookAnswer> => {
      const { caller, nowMs } = context;
      const sees = sightOf(caller);
      if (body.pool !== null && !seesPool(caller, body.pool)) throw new ProblemError('forbidden');
      const fault = faultOfReceiver(body.url, deps.allowsLoopback);
      if (fault !== null) throw badUrl(fault);
      if ((await deps.webhooks.list()).length >= webhooksMax) {
        throw new ProblemError('limit-reached', `There are ${webhooksMax} webhooks, the most.`);
      }
      const webhook: Webhook = {
        ...body,
        id: makeJobId(nowMs, deps.random.bytes(9)),
        secret: body.secret ?? makeSecret(deps),
        sees,
        createdAtMs: nowMs,
        createdBy: nameOfCaller(caller),
      };
      const delivery = newDelivery(await deps.fleetLog.newest(nowMs));
      const trace = auditEvent(context, 'webhook-created', webhook.id);
      await deps.webhooks.create(webhook, delivery, trace);
      return { ...webhookView({ webhook, delivery }, nowMs), secret: webhook.secret };
    },
    answer: (view) => tagged(201, { version: webhookVersion, view }),
  }),
);

/** Who is bound to clusters sees no event. */
function sightOf(caller: Caller): Webhook['sees'] {
  if (caller.kind === 'edge' || isBound(caller)) throw new ProblemError('forbidden');
  const { pool, queue, scopes } = caller;
  return { pool, queue, scopes };
}

function badUrl(message: string): ProblemError {
  const errors = [{ pointer: '/url', message }];
  return new ProblemError('invalid-request', `The request is not valid at /url: ${message}`, {
    errors,
  });
}
