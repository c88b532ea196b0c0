import { CfnElement, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

const prefixContext = 'edgewise:logicalIdPrefix';

/**
 * A stack of somebody else's may have a `Table` of its own: every name that is fixed below this
 * construct begins with its way from the stack. As in the names that the CDK makes itself,
 * `Default` leaves no trace.
 */
export function setLogicalIdPrefix(construct: IConstruct): void {
  const within = construct.node.scopes.slice(Stack.of(construct).node.scopes.length);
  const ids = within.map(({ node }) => node.id).filter((id) => id !== 'Default');
  construct.node.setContext(prefixContext, ids.join('').replaceAll(/[^A-Za-z0-9]/g, ''));
}

/** The name that `pinLogicalId` gives, for those who have to spell it. */
export function pinnedId(construct: IConstruct, logicalId: string): string {
  return `${construct.node.tryGetContext(prefixContext) ?? ''}${logicalId}`;
}

/**
 * Fixes the name by which CloudFormation knows a resource that holds state, or others an output,
 * so that moving the construct in the code never replaces it. The reason is for whoever wants to
 * change it.
 */
export function pinLogicalId(construct: IConstruct, logicalId: string, _reason: string): void {
  const resource = construct.node.defaultChild ?? construct;
  if (!CfnElement.isCfnElement(resource)) {
    throw new Error(`${construct.node.path} is no resource of its own`);
  }
  resource.overrideLogicalId(pinnedId(construct, logicalId));
}
