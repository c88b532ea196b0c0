import { CfnCondition, Fn, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** A name of one's own, with the certificate for it. DNS has to lead there. */
export type OwnName = {
  /** `edgewise.example.com` */
  readonly name: string;
  /** Of the same region for the API, of us-east-1 for the dashboard. */
  readonly certificateArn: string;
};

/**
 * Where the name is a parameter it may be empty, and then there is none: the condition for what
 * depends on it. `null` where it is known at synthesis.
 */
export function conditionOf(scope: Construct, id: string, own: OwnName): CfnCondition | null {
  if (!Token.isUnresolved(own.name)) return null;
  const expression = Fn.conditionNot(Fn.conditionEquals(own.name, ''));
  return new CfnCondition(scope, id, { expression });
}
