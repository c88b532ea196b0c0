import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Lets one finding of the template checks stand, here and below, with the reason beside it. */
export function acceptFinding(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
