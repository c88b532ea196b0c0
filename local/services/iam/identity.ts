/**
 * Access keys: each function signs its calls with a key of its own, which leads the gateway to the
 * function's role. Any key that was not given to a function belongs to the developer, who may do
 * everything.
 */
import { accountId, stableToken } from '../../account.ts';

export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
};

export type Caller =
  | { readonly kind: 'root'; readonly arn: string; readonly userId: string }
  | {
      readonly kind: 'role';
      /** `arn:aws:sts::…:assumed-role/<role>/<function>`, as AWS names the caller. */
      readonly arn: string;
      readonly userId: string;
      readonly roleArn: string;
      readonly roleName: string;
      readonly functionName: string;
    };

export const rootCaller: Caller = {
  kind: 'root',
  arn: `arn:aws:iam::${accountId}:root`,
  userId: accountId,
};

export function credentialsFor(roleArn: string, functionName: string): Credentials {
  const seed = `${roleArn}/${functionName}`;
  return {
    accessKeyId: `ASIA${stableToken(seed, 16)}`,
    secretAccessKey: stableToken(`${seed}/secret`, 32),
    sessionToken: stableToken(`${seed}/session`, 32),
  };
}

export function roleCaller(roleArn: string, functionName: string): Caller {
  const roleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  return {
    kind: 'role',
    arn: `arn:aws:sts::${accountId}:assumed-role/${roleName}/${functionName}`,
    userId: `AROA${stableToken(roleArn, 17)}:${functionName}`,
    roleArn,
    roleName,
    functionName,
  };
}
