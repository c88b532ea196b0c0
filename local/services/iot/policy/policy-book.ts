/** The policies there are: those of the template, and those that were made since. */
import type { Registry } from '../control-plane/registry.ts';
import { type Policy, parsePolicy, type ResolvedPolicy } from './policy.ts';

export type KeptPolicy = {
  readonly policy: Policy;
  readonly document: unknown;
  readonly isOfTemplate: boolean;
};

/** By name. */
export type PolicyBook = Map<string, KeptPolicy>;

/** Where both have a policy of one name, that of the template counts. */
export function policyBook(template: readonly ResolvedPolicy[], registry: Registry): PolicyBook {
  const entry = ({ name, document }: ResolvedPolicy, isOfTemplate: boolean) =>
    [name, { policy: parsePolicy(name, document), document, isOfTemplate }] as const;
  return new Map([
    ...registry.listPolicies().map((policy) => entry(policy, false)),
    ...template.map((policy) => entry(policy, true)),
  ]);
}
