import { addressesAreOpen, readersMayList } from './access.ts';
import { queuesHideLongEnough, worldwideNamesHaveTheirRegion } from './bonds.ts';
import {
  nothingWaitsForItself,
  stagesWaitForTheirRoutes,
  workersWaitForTheirPolicies,
} from './order.ts';
import type { Resources, Rule } from './resources.ts';
import { secretsAreKnownByTheirId, tokensHaveNoPunctuation } from './secrets.ts';
import { countsFit, environmentsFit, functionPoliciesFit, namesFit, policiesFit } from './sizes.ts';

export const rules: readonly Rule[] = [
  stagesWaitForTheirRoutes,
  workersWaitForTheirPolicies,
  nothingWaitsForItself,
  policiesFit,
  functionPoliciesFit,
  environmentsFit,
  namesFit,
  countsFit,
  queuesHideLongEnough,
  worldwideNamesHaveTheirRegion,
  readersMayList,
  addressesAreOpen,
  tokensHaveNoPunctuation,
  secretsAreKnownByTheirId,
];

/** What AWS would stop the deployment of a template for, or stumble over right after it. */
export function deployErrors(resources: Resources): string[] {
  return rules.flatMap((rule) => rule(resources));
}
