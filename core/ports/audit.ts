/**
 * Who changed what and when, kept for ninety days: tokens, pools, queues, edges and jobs. Jobs keep
 * their own timelines besides, which go with them.
 */
export type AuditEvent = {
  readonly atMs: number;
  readonly by: string;
  readonly action: string;
  readonly target: string;
  readonly requestId: string;
};

export type ListedAudit = { readonly event: AuditEvent; readonly position: string };

export type AuditStore = {
  add(event: AuditEvent): Promise<void>;
  /** Newest first, from just before `position`, back to `sinceMs`. */
  list(
    position: string | null,
    sinceMs: number,
    nowMs: number,
    limit: number,
  ): Promise<readonly ListedAudit[]>;
};
