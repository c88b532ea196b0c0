/**
 * The topic rules of the template, parsed once. What a rule needs and this service does not have
 * is an error at start, with the name of the rule.
 */

import { isTopicFilter, topicMatches } from '../broker/topic-filter.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { ruleActionsMax } from '../limits.ts';
import { runQuery } from './evaluation.ts';
import type { MessageContext, Value } from './functions.ts';
import { parseRuleSql, type RuleQuery } from './sql.ts';
import { parseTemplate, type TextTemplate } from './template.ts';

/** What the template says of a rule, with all references resolved. */
export type ResolvedTopicRule = {
  readonly name: string;
  readonly sql: string;
  readonly sqlVersion: string;
  readonly disabled: boolean;
  readonly actions: readonly object[];
  readonly errorAction?: object;
};

export type RuleAction =
  | { readonly kind: 'sqs'; readonly queueUrl: string; readonly useBase64: boolean }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: TextTemplate }
  | { readonly kind: 'lambda'; readonly functionArn: string }
  | { readonly kind: 'republish'; readonly topic: TextTemplate; readonly qos: 0 | 1 };

export type Rule = {
  readonly name: string;
  readonly query: RuleQuery;
  readonly actions: readonly RuleAction[];
  readonly errorAction?: RuleAction;
};

export type Rules = {
  /** Rules that this message triggers, their conditions checked. */
  triggered(topic: string, payload: Uint8Array, context: MessageContext): Rule[];
  named(name: string): Rule | undefined;
};

const sqlVersions = ['2016-03-23', 'beta'];
const basicIngest = /^\$aws\/rules\/([^/]+)\/(.+)$/;

export function parseRules(sources: readonly ResolvedTopicRule[]): Rules {
  const rules = sources.filter((source) => !source.disabled).map(parseRule);
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  return {
    triggered(topic, payload, context) {
      // "$aws/rules/rule-name" sends to that one rule, past the broker.
      const direct = basicIngest.exec(topic)?.[1];
      const candidates =
        direct === undefined
          ? rules.filter((rule) => topicMatches(rule.query.topicFilter, topic))
          : rules.filter((rule) => rule.name === direct);
      return candidates.filter((rule) => selects(rule, payload, context));
    },
    named: (name) => byName.get(name),
  };
}

/** topic() does not see the prefix of Basic Ingest. */
export const ruleTopic = (topic: string): string => basicIngest.exec(topic)?.[2] ?? topic;

function selects(rule: Rule, payload: Uint8Array, context: MessageContext): boolean {
  if (rule.query.where === undefined) return true;
  return runQuery(rule.query, jsonOf(payload), context) !== undefined;
}

/** What the SELECT makes of a message; bytes when it takes a message whole that is not JSON. */
export function resultOf(
  rule: Rule,
  payload: Uint8Array,
  context: MessageContext,
): Json | Uint8Array {
  const json = jsonOf(payload);
  if (json === undefined && takesAll(rule.query)) return payload;
  if (takesAll(rule.query) && !isObject(json)) return json as Json;
  return runQuery(rule.query, json, context) ?? {};
}

const takesAll = (query: RuleQuery): boolean =>
  query.single === undefined &&
  query.projections.length === 1 &&
  query.projections[0]?.kind === 'everything';

export function jsonOf(payload: Uint8Array): Value {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) as Json;
  } catch {
    return undefined;
  }
}

function parseRule(source: ResolvedTopicRule): Rule {
  const refuse = (why: string): never => {
    throw new Error(`Topic rule ${source.name}: ${why}.`);
  };
  if (!sqlVersions.includes(source.sqlVersion)) {
    refuse(`SQL version ${source.sqlVersion} is not supported, use 2016-03-23`);
  }
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
  };
  const query = attempt(() => parseRuleSql(source.sql));
  if (!isTopicFilter(query.topicFilter)) refuse(`${query.topicFilter} is not a topic filter`);
  if (source.actions.length === 0 || source.actions.length > ruleActionsMax) {
    refuse(`it has ${source.actions.length} actions, 1 to ${ruleActionsMax} are possible`);
  }
  const actions = source.actions.map((action) => attempt(() => parseAction(action)));
  const { errorAction } = source;
  return {
    name: source.name,
    query,
    actions,
    ...(errorAction === undefined ? {} : { errorAction: attempt(() => parseAction(errorAction)) }),
  };
}

function parseAction(source: object): RuleAction {
  const [entry, ...others] = Object.entries(source);
  if (entry === undefined || others.length > 0 || !isObject(entry[1])) {
    throw new Error('an action names not exactly one service');
  }
  const [service, properties] = [entry[0].toLowerCase(), lowerKeys(entry[1])];
  switch (service) {
    case 'sqs': {
      const queueUrl = text(properties, 'queueurl');
      // "SQS FIFO queues aren't supported" as the target of a rule.
      if (queueUrl.endsWith('.fifo')) throw new Error('a rule cannot send to a FIFO queue');
      return { kind: 'sqs', queueUrl, useBase64: properties['usebase64'] === true };
    }
    case 's3':
      return {
        kind: 's3',
        bucket: text(properties, 'bucketname'),
        key: parseTemplate(text(properties, 'key')),
      };
    case 'lambda':
      return { kind: 'lambda', functionArn: text(properties, 'functionarn') };
    case 'republish':
      return {
        kind: 'republish',
        topic: parseTemplate(text(properties, 'topic')),
        qos: Number(properties['qos'] ?? 0) === 1 ? 1 : 0,
      };
    default:
      throw new Error(`the action ${entry[0]} is not supported`);
  }
}

const lowerKeys = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]));

function text(properties: JsonObject, key: string): string {
  const value = properties[key];
  if (typeof value !== 'string' || value === '') throw new Error(`an action has no ${key}`);
  return value;
}
