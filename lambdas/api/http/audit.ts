import { nameOfCaller } from '../../../core/model/caller.ts';
import type { AuditStore } from '../../../core/ports/audit.ts';
import type { Context } from '../operation.ts';

/** Leaves a trace of what a caller changed: who, what, when, under which request. */
export async function audit(
  { caller, nowMs, requestId }: Context,
  deps: { readonly audit: AuditStore },
  action: string,
  target: string,
): Promise<void> {
  await deps.audit.add({ atMs: nowMs, by: nameOfCaller(caller), action, target, requestId });
}
