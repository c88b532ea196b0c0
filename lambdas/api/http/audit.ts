import { nameOfCaller } from '../../../core/caller.ts';
import type { AuditStore } from '../../../core/ports/audit.ts';
import { type Call, callerOf } from './call.ts';

/** Leaves a trace of what a caller changed: who, what, when, under which request. */
export async function audit(
  call: Call,
  deps: { readonly audit: AuditStore },
  action: string,
  target: string,
): Promise<void> {
  await deps.audit.add({
    atMs: call.nowMs,
    by: nameOfCaller(callerOf(call)),
    action,
    target,
    requestId: call.requestId,
  });
}
