import type { Delivery, Webhook } from '../webhooks/webhook.ts';
import type { AuditEvent } from './audit.ts';

/** Addresses that are notified of events, and how far each has received them. */
export type WebhooksStore = {
  find(id: string): Promise<StoredWebhook | null>;
  /** All of them, by id; there are few. */
  list(): Promise<readonly StoredWebhook[]>;
  create(webhook: Webhook, delivery: Delivery, audit: AuditEvent): Promise<void>;
  /** How far a receiver has got that is no webhook. */
  deliveryOf(id: string): Promise<Delivery | null>;
  /** `false`: it had begun before. */
  begin(id: string, delivery: Delivery): Promise<boolean>;
  /** In place of what was seen. `false`: somebody was faster, or it is gone. */
  save(id: string, next: Delivery, seenTurn: number): Promise<boolean>;
  /** `false`: it was gone. */
  remove(id: string): Promise<boolean>;
};

export type StoredWebhook = { readonly webhook: Webhook; readonly delivery: Delivery };
