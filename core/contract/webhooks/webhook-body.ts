import * as z from 'zod';
import {
  webhookKindsMax,
  webhookSecretLengthMax,
  webhookSecretLengthMin,
  webhookUrlLengthMax,
} from '../../webhooks/limits.ts';
import { isKnownKind } from '../../webhooks/webhook.ts';
import { nameSchema, text, timeSchema } from '../text-schema.ts';

/** Addresses that are notified of events: what is sent, and what is answered. */

const kindSchema = text(64).refine(isKnownKind, {
  error: 'There is no such kind of event; one is like "job.done", all of jobs are "job.*".',
});

const secretSchema = z
  .string()
  .min(webhookSecretLengthMin)
  .max(webhookSecretLengthMax)
  .regex(/^[\x21-\x7e]+$/, { error: 'A secret is of visible characters of ASCII.' })
  .optional();

/** Of a job, whom it names to be notified of its end. */
export const onEndSchema = z
  .strictObject({
    url: text(webhookUrlLengthMax),
    secret: secretSchema.meta({
      description: 'What it is signed with; without one, the answer that makes the job has one.',
    }),
  })
  .meta({ id: 'OnEnd', description: 'Notified of each end of the job.' });

export const webhookBodySchema = z
  .strictObject({
    url: text(webhookUrlLengthMax),
    kinds: z.array(kindSchema).min(1).max(webhookKindsMax),
    pool: nameSchema.nullable().default(null),
    job: nameSchema.nullable().default(null),
    secret: secretSchema.meta({
      description: 'What deliveries are signed with; one is made where none is given.',
    }),
  })
  .meta({ id: 'WebhookBody', description: 'An address that is notified of events.' });

const attemptSchema = z
  .strictObject({
    at: timeSchema,
    event: z.string(),
    status: z.int().nullable().meta({ description: 'What it answered.' }),
    error: z.string().nullable().meta({ description: 'Why there was no answer.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'What came of the last event that was sent.' });

const webhookFields = {
  id: z.string(),
  url: z.string(),
  kinds: z.array(z.string()),
  pool: z.string().nullable(),
  job: z.string().nullable(),
  createdAt: timeSchema,
  createdBy: z.string(),
  state: z.enum(['active', 'retrying', 'failing']).meta({
    description: 'Whether it takes what it is sent; failing has taken nothing for a day.',
  }),
  failures: z.int().meta({ description: 'How often the present event was sent in vain.' }),
  nextAt: timeSchema.nullable().meta({ description: 'Not before this it is sent again.' }),
  missedBefore: timeSchema.nullable().meta({
    description: 'Events before this were not sent: they are kept for a day.',
  }),
  last: attemptSchema.nullable(),
};

export const webhookSchema = z.strictObject(webhookFields).meta({ id: 'Webhook' });

export const newWebhookSchema = z
  .strictObject({
    ...webhookFields,
    secret: z.string().meta({ description: 'Shown in this answer and never again.' }),
  })
  .meta({ id: 'NewWebhook' });

export const webhookListSchema = z
  .strictObject({ items: z.array(webhookSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WebhookList' });

export type WebhookBody = z.output<typeof webhookBodySchema>;
export type WebhookAnswer = z.output<typeof webhookSchema>;
export type NewWebhookAnswer = z.output<typeof newWebhookSchema>;
