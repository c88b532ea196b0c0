/**
 * The part of the AWS IoT SQL (version 2016-03-23) that runs here, as a tree:
 * `SELECT projections FROM 'filter' WHERE condition`. Nested SELECTs, CASE and functions that
 * call other services are refused, so a rule either means the same on AWS or does not start.
 */
import { expressionAt } from './expression.ts';
import type { Expression } from './expression-tree.ts';
import { type Cursor, cursorOver } from './lexer.ts';

export type Projection =
  | { readonly kind: 'everything' }
  | { readonly kind: 'value'; readonly value: Expression; readonly path: readonly string[] };

export type RuleQuery = {
  /** `SELECT VALUE x`: the result is x itself, not an object. */
  readonly single?: Expression;
  readonly projections: readonly Projection[];
  readonly topicFilter: string;
  readonly where?: Expression;
};

export function parseRuleSql(sql: string): RuleQuery {
  const cursor = cursorOver(sql);
  cursor.keyword('select');
  const single = cursor.acceptWord('value') ? expressionAt(cursor) : undefined;
  const projections = single === undefined ? projectionsAt(cursor) : [];
  cursor.keyword('from');
  const topicFilter = cursor.text('a topic filter in quotes');
  const where = cursor.acceptWord('where') ? expressionAt(cursor) : undefined;
  cursor.end();
  return {
    ...(single === undefined ? {} : { single }),
    projections,
    topicFilter,
    ...(where === undefined ? {} : { where }),
  };
}

/** One expression alone, as in a substitution template. */
export function parseRuleExpression(text: string): Expression {
  const cursor = cursorOver(text);
  const expression = expressionAt(cursor);
  cursor.end();
  return expression;
}

function projectionsAt(cursor: Cursor): Projection[] {
  const projections: Projection[] = [];
  do projections.push(projectionAt(cursor));
  while (cursor.accept(','));
  return projections;
}

function projectionAt(cursor: Cursor): Projection {
  const value = expressionAt(cursor);
  if (cursor.acceptWord('as')) {
    const path = [cursor.name()];
    while (cursor.accept('.')) path.push(cursor.name());
    return { kind: 'value', value, path };
  }
  if (value.kind === 'everything') return { kind: 'everything' };
  const last = lastName(value);
  return last === undefined ? cursor.fail('AS and a name') : { kind: 'value', value, path: [last] };
}

/** "SELECT a.b" names its result b. */
function lastName(value: Expression): string | undefined {
  if (value.kind === 'name') return value.name;
  if (value.kind !== 'member' || value.key.kind !== 'literal') return undefined;
  return typeof value.key.value === 'string' ? value.key.value : undefined;
}
