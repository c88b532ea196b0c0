import { ofType, type Resources, referred } from './resources.ts';

/** What a role may do, and cannot do without something else. */

type Statement = {
  readonly Effect?: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: unknown;
};

/**
 * Whoever may read objects of a bucket and not list it gets 403 for an object that is not there,
 * and 404 otherwise ("GetObject", permissions, in the reference of Amazon S3): a program that asks
 * whether something is there fails on AWS only.
 */
export function readersMayList(resources: Resources): string[] {
  const [readers, listers] = ['s3:GetObject', 's3:ListBucket'].map((it) => rolesMay(resources, it));
  return [...readers!].flatMap(([role, buckets]) =>
    [...buckets]
      .filter((bucket) => listers!.get(role)?.has(bucket) !== true)
      .map((bucket) => `${role} may read objects of ${bucket} and not list it: 403 is no 404`),
  );
}

const ofAnAddress = ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'];

/**
 * An address of a function answers 403 to everybody while one of both is not allowed, and the
 * second is asked for since October 2025 ("Control access to Lambda function URLs";
 * serverless/serverless#13147, aws/aws-cdk#35872).
 */
export function addressesAreOpen(resources: Resources): string[] {
  const permissions = ofType(resources, 'AWS::Lambda::Permission');
  return ofType(resources, 'AWS::Lambda::Url').flatMap(([id, { Properties }]) => {
    if (Properties?.AuthType !== 'NONE') return [];
    const fn = referred(Properties.TargetFunctionArn);
    const isAllowed = (action: string) =>
      permissions.some(
        ([, { Properties: it }]) =>
          referred(it?.FunctionName) === fn && it?.Principal === '*' && it.Action === action,
      );
    return ofAnAddress
      .filter((action) => !isAllowed(action))
      .map((action) => `${id} is for everybody, and nobody may ${action} on ${fn}`);
  });
}

/** Buckets of this template by the roles that may do something with them. */
function rolesMay(resources: Resources, action: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, { Properties }] of ofType(resources, /^AWS::IAM::(Managed)?Policy$/)) {
    const roles = [Properties?.Roles ?? []].flat().map((it) => referred(it) ?? String(it));
    for (const bucket of bucketsOf(resources, Properties?.PolicyDocument, action)) {
      for (const role of roles) found.set(role, (found.get(role) ?? new Set()).add(bucket));
    }
  }
  return found;
}

function bucketsOf(resources: Resources, document: unknown, action: string): string[] {
  const { Statement = [] } = (document ?? {}) as { readonly Statement?: Statement | Statement[] };
  const allowing = [Statement].flat().filter(({ Effect, Action = [] }) => {
    return Effect === 'Allow' && [Action].flat().some((it) => covers(it, action));
  });
  return allowing
    .flatMap(({ Resource }) => [Resource].flat())
    .flatMap((one) => referred(one) ?? [])
    .filter((id) => resources[id]?.Type === 'AWS::S3::Bucket');
}

const covers = (pattern: string, action: string) =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : pattern === action;
