/**
 * Events on a bus and the rules that look at them
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events.html). A rule that matches
 * hands the event to its targets, as a whole or as the rule transforms it.
 */
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import type { FilterPattern } from '../lambda/event-sources/filter/pattern.ts';
import { parseExactly } from '../lambda/event-sources/filter/written-number.ts';
import type { TargetInput } from './target-input.ts';

export type EventRule = {
  readonly name: string;
  readonly arn: string;
  readonly bus: string;
  readonly isEnabled: boolean;
  readonly matches: FilterPattern;
  readonly targets: readonly EventTarget[];
};

export type EventTarget = {
  readonly id: string;
  readonly arn: string;
  readonly input: TargetInput;
  /** Of a queue in order. */
  readonly messageGroupId: string | undefined;
};

export type BusEvent = JsonObject & { readonly id: string };

/** The rules that an event of this bus wakes. Numbers are compared as they were written. */
export function rulesFor(
  rules: readonly EventRule[],
  bus: string,
  event: BusEvent,
): readonly EventRule[] {
  const record: Json = parseExactly(JSON.stringify(event));
  return rules.filter((rule) => rule.bus === bus && rule.isEnabled && rule.matches(record));
}

/** The bus that every account has. */
export const defaultBus = 'default';
