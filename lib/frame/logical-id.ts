import { CfnElement } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Fixes the name by which CloudFormation knows a resource that holds state, so that moving the
 * construct in the code never replaces it. The reason is for whoever wants to change it.
 */
export function pinLogicalId(construct: IConstruct, logicalId: string, _reason: string): void {
  const resource = construct.node.defaultChild ?? construct;
  if (!CfnElement.isCfnElement(resource)) {
    throw new Error(`${construct.node.path} is no resource of its own`);
  }
  resource.overrideLogicalId(logicalId);
}
