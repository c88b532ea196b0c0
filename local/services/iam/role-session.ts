/**
 * A session of a role, as `sts:AssumeRole` gives it: who may have one is the role's trust policy.
 * A principal that the policy names itself may; one of an account that it names needs the
 * permission of a policy of its own besides
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html).
 */
import { accountId } from '../../account.ts';
import type { Caller, Credentials, FunctionCredentials } from './identity.ts';
import { decide, type Statement } from './policy.ts';
import { baseContext } from './request-context.ts';

export type SessionWish = {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly expiresAtMs: number;
};

export type RoleSession = {
  readonly credentials: FunctionCredentials & { readonly expiresAtMs: number };
  readonly arn: string;
  readonly userId: string;
};

export const isOver = ({ expiresAtMs }: Credentials): boolean =>
  expiresAtMs !== undefined && expiresAtMs <= Date.now();

/** Why the trust policy gives the caller no session; `itself`: without his account counting. */
export function whyNoSession(
  caller: Caller,
  role: { readonly arn: string; readonly trust: readonly Statement[] },
  as: 'itself' | 'anybody of the account' = 'anybody of the account',
): string | undefined {
  const own = caller.kind === 'root' ? [caller.arn] : [caller.arn, caller.roleArn];
  const account = [`arn:aws:iam::${accountId}:root`, accountId];
  const names = new Set(
    (as === 'itself' ? own : [...own, ...account]).map((name) => `AWS:${name}`),
  );
  const statements = role.trust.filter((statement) =>
    (statement.principals ?? []).some((name) => name === '*' || names.has(name)),
  );
  const context = baseContext(caller.arn);
  const request = { action: 'sts:AssumeRole', resource: role.arn, context };
  return decide(statements, request).kind === 'allowed'
    ? undefined
    : "the role's trust policy does not allow it";
}
