import { nameOfCaller } from '../../../core/model/caller.ts';
import type { AuditEvent, AuditStore } from '../../../core/ports/audit.ts';
import type { Context } from '../operation.ts';

/** What the trail says of a change: who, what, when, under which request. */
export function auditEvent(
  { caller, nowMs, requestId }: Context,
  action: string,
  target: string,
): AuditEvent {
  return { atMs: nowMs, by: nameOfCaller(caller), action, target, requestId };
}

/** Leaves a trace of what a caller changed. */
export async function audit(
  context: Context,
  deps: { readonly audit: AuditStore },
  action: string,
  target: string,
): Promise<void> {
  await deps.audit.add(auditEvent(context, action, target));
}
