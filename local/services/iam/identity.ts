/**
 * Access keys: each function signs its calls with a key of its own, which leads the gateway to the
 * function's role. One more belongs to the developer, who may do everything; it stands in
 * `endpoints.json`, which only the owner of the state directory can read. Nobody else has one:
 * secrets come from a seed of the state directory, and nothing in a template leads to them.
 */
import { randomBytes } from 'node:crypto';
import { accountId, stableToken } from '../../account.ts';
import type { StateStore } from '../../engine/state-store.ts';

export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Undefined: a key that lasts, as of a user, and not of a role. */
  readonly sessionToken: string | undefined;
  /** Undefined: never. */
  readonly expiresAtMs?: number;
};

export type FunctionCredentials = Credentials & { readonly sessionToken: string };

export type KeyRing = {
  readonly root: Credentials;
  /** The key that the database keeps the data of this state directory under. */
  readonly database: string;
  forFunction(roleArn: string, functionName: string): FunctionCredentials;
  /** Other ones each time: they end with the local cloud at the latest. */
  forSession(): FunctionCredentials;
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

/** The same state directory gives the same keys after a restart. */
export function keyRing(store: StateStore): KeyRing {
  const seed = store.get('keys', 'seed') ?? randomBytes(32).toString('hex');
  store.put('keys', 'seed', seed);
  return {
    root: {
      accessKeyId: `AKIA${stableToken(`${seed}/root`, 16)}`,
      secretAccessKey: stableToken(`${seed}/root/secret`, 32),
      sessionToken: undefined,
    },
    database: stableToken(`${seed}/database`, 32),
    forFunction: (roleArn, functionName) => {
      const own = `${seed}/${roleArn}/${functionName}`;
      return {
        accessKeyId: `ASIA${stableToken(own, 16)}`,
        secretAccessKey: stableToken(`${own}/secret`, 32),
        sessionToken: stableToken(`${own}/session`, 32),
      };
    },
    forSession: () => ({
      accessKeyId: `ASIA${stableToken(randomBytes(32).toString('hex'), 16)}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(96).toString('base64'),
    }),
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
