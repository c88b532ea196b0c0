/** What the control plane tells about the topic rules of the template. */
import { notFound } from '../http/http-answer.ts';
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { ResolvedTopicRule } from '../rules/rules.ts';
import { parseRuleSql } from '../rules/sql.ts';
import { arnOf } from './certificates.ts';
import type { ControlDependencies, ControlOperation } from './operation.ts';
import { nextToken, pageOf } from './operation.ts';

export function ruleOperations(
  dependencies: ControlDependencies,
): Record<string, ControlOperation> {
  const rules = [...dependencies.rules].sort((a, b) => (a.name < b.name ? -1 : 1));
  const createdAt = dependencies.nowMs() / 1_000;
  return {
    ListTopicRules({ query }) {
      const page = pageOf(query);
      const [topic, disabled] = [query.get('topic'), query.get('ruleDisabled')];
      const wanted = rules.filter(
        (rule) =>
          rule.name > page.after &&
          (topic === null || topicOf(rule) === topic) &&
          (disabled === null || String(rule.disabled) === disabled),
      );
      const shown = wanted.slice(0, page.size);
      return {
        rules: shown.map((rule) => ({
          ruleArn: arnOf(dependencies, 'rule', rule.name),
          ruleName: rule.name,
          topicPattern: topicOf(rule),
          createdAt,
          ruleDisabled: rule.disabled,
        })),
        ...(wanted.length > page.size ? { nextToken: nextToken(shown.at(-1)?.name ?? '') } : {}),
      };
    },
    GetTopicRule({ path }) {
      const rule = rules.find(({ name }) => name === path['rule']);
      if (rule === undefined) throw notFound(`Rule ${path['rule']} does not exist.`);
      return {
        ruleArn: arnOf(dependencies, 'rule', rule.name),
        rule: {
          ruleName: rule.name,
          sql: rule.sql,
          createdAt,
          actions: rule.actions.map((action) => inApiWords(action as Json)),
          ruleDisabled: rule.disabled,
          awsIotSqlVersion: rule.sqlVersion,
          ...(rule.errorAction === undefined
            ? {}
            : { errorAction: inApiWords(rule.errorAction as Json) }),
        },
      };
    },
  };
}

const topicOf = ({ sql }: ResolvedTopicRule): string => parseRuleSql(sql).topicFilter;

/** A template writes `QueueUrl` where the API has `queueUrl`. */
function inApiWords(value: Json): Json {
  if (isArray(value)) return value.map(inApiWords);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => [
    `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    inApiWords(item),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
