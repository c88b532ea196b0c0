/** The SQL of topic rules: what it computes, and what it refuses at start. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../services/iot/json.ts';
import { evaluate } from '../../../../services/iot/rules/evaluation.ts';
import type { MessageContext } from '../../../../services/iot/rules/functions.ts';
import {
  parseRules,
  type ResolvedTopicRule,
  resultOf,
  ruleTopic,
} from '../../../../services/iot/rules/rules.ts';
import { parseRuleExpression } from '../../../../services/iot/rules/sql.ts';
import { fillTemplate, parseTemplate } from '../../../../services/iot/rules/template.ts';

const payload = {
  state: { reported: { b: 'boot', f: 4, list: [1, { x: 2 }] } },
  version: 7,
  color: 'RED',
  on: true,
  nothing: null,
};

const context = (
  body: Uint8Array,
  topic = '$aws/things/edge-1/shadow/name/prog/update/accepted',
): MessageContext => ({
  topic: ruleTopic(topic),
  clientId: 'edge-1',
  principal: 'abc',
  accountId: '000000000000',
  receivedAtMs: 1_700_000_000_123,
  payloadBase64: Buffer.from(body).toString('base64'),
  newUuid: () => 'uuid',
});

const rule = (sql: string, more: Partial<ResolvedTopicRule> = {}): ResolvedTopicRule => ({
  name: 'r',
  sql,
  sqlVersion: '2016-03-23',
  disabled: false,
  actions: [{ Lambda: { FunctionArn: 'arn:aws:lambda:x:1:function:f' } }],
  ...more,
});

/** What the rule makes of a message, or nothing when it is not triggered. */
function select(sql: string, body: Json | string = payload, topic?: string): unknown {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const rules = parseRules([rule(sql)]);
  const where = context(bytes, topic);
  const [found] = rules.triggered(topic ?? where.topic, bytes, where);
  return found === undefined ? undefined : resultOf(found, bytes, where);
}

const accepted = "FROM '$aws/things/+/shadow/name/prog/update/accepted'";

describe('SELECT', () => {
  test.each<[string, unknown]>([
    ['SELECT *', payload],
    ['select version', { version: 7 }],
    [
      'SELECT state.reported AS r, version AS v, topic(3) AS edge',
      { r: payload.state.reported, v: 7, edge: 'edge-1' },
    ],
    ['SELECT state.reported.b', { b: 'boot' }],
    ["SELECT state['reported'].f AS free", { free: 4 }],
    ['SELECT state.reported.list[1].x AS x', { x: 2 }],
    [
      'SELECT *, timestamp() AS ts, clientid() AS client',
      { ...payload, ts: 1_700_000_000_123, client: 'edge-1' },
    ],
    ['SELECT missing AS m, version', { version: 7 }],
    ['SELECT version AS a.b, color AS a.c', { a: { b: 7, c: 'RED' } }],
    ['SELECT {"v": version, "c": [color, 1]} AS o', { o: { v: 7, c: ['RED', 1] } }],
    ['SELECT VALUE state.reported.f', 4],
    ['SELECT nothing', { nothing: null }],
  ])('%s', (sql, expected) => {
    expect(select(`${sql} ${accepted}`)).toEqual(expected);
  });

  test('a message that is not JSON passes whole through SELECT *', () => {
    const result = select(`SELECT * FROM 'logs/#'`, 'not json', 'logs/a');
    expect(Buffer.from(result as Uint8Array).toString()).toBe('not json');
  });

  test('encode(*) keeps the bytes of any message', () => {
    const result = select(`SELECT encode(*, 'base64') AS data FROM 'logs/#'`, 'not json', 'logs/a');
    expect(result).toEqual({ data: Buffer.from('not json').toString('base64') });
  });
});

describe('WHERE', () => {
  test.each<[string, boolean]>([
    ['version = 7', true],
    ["version = '7'", false],
    ["version <> '7'", true],
    ["version >= '7'", true],
    ["color > 'A'", false],
    ["color < 'A' OR version = 7", false],
    ["NOT (on = 'x')", true],
    ['NOT (version = 8 AND missing = 1)', false],
    ['version = 7 OR missing = 1', false],
    ["on AND 'TRUE'", true],
    ["NOT 'false'", true],
    ['version <> 7', false],
    ['version > 6 AND version <= 7', true],
    ['version < 7 OR color = "RED"', true],
    ['nothing = nothing', true],
    ['nothing <> nothing', false],
    ['nothing = 1', false],
    ['state.reported.list = [1, {"x": 2}]', true],
    ['state.reported.list = [{"x": 2}, 1]', false],
    ["color = 'RED' AND NOT on", false],
    ['NOT (version = 8)', true],
    ['missing = 1', false],
    ['NOT (missing = 1)', false],
    ['isUndefined(missing)', true],
    ['isNull(nothing)', true],
    ["startswith(topic(3), 'edge-')", true],
    ["color IN ['RED', 'BLUE']", true],
    ["state.reported.b = 'boot' AND version % 2 = 1", true],
    ["regexp_matches(topic(3), '^edge-[0-9]+$')", true],
    ['on', true],
    ['color', false],
  ])('%s is %s', (where, holds) => {
    expect(select(`SELECT version ${accepted} WHERE ${where}`) !== undefined).toBe(holds);
  });
});

describe('expressions', () => {
  test.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['-version + 1', -6],
    ['7 / 2', 3],
    ['7 / 2.5', 2.8],
    ['1 / 0', undefined],
    ["'a' + 1", 'a1'],
    ["'it''s'", "it's"],
    ['concat("a", "b", version)', 'ab7'],
    ['concat([1], [2])', [1, 2]],
    ['upper(color)', 'RED'],
    ['length(color)', 3],
    ['substring(color, 1)', 'ED'],
    ["replace(color, 'R', 'L')", 'LED'],
    ["indexof('abc', 'c')", 2],
    ['floor(2.9)', 2],
    ['cast(version AS String)', '7'],
    ["cast('5' AS Int)", 5],
    ['cast(true AS Int)', 1],
    ["cast('yes' AS Boolean)", undefined],
    ['get(state.reported.list, 0)', 1],
    ["get('abc', '1')", 'b'],
    ["get([1, 2], '1')", 2],
    ['get([1, 2], -1)', undefined],
    ['get([1, 2], 2)', undefined],
    ['round(-1.5)', -2],
    ['round(1.5)', 2],
    ['round(-1.1)', -1],
    ["concat([1, 2], 'a', [3])", [1, 2, 'a', 3]],
    ['concat()', undefined],
    ["decode('eyAidGVtcGVyYXR1cmUiOiAzMyB9Cg==', 'base64').temperature", 33],
    ["decode('aGVsbG8=', 'base64')", 'hello'],
    ["decode('not base64!', 'base64')", null],
    ["substring('012345', 2.745)", '2345'],
    ["substring('012345', -1)", '012345'],
    ["substring('012345', -50, 50)", '012345'],
    ["substring('012345', 3, 1)", ''],
    ["substring('012345', 0, -1)", ''],
    ["substring('012345', 0, 'x')", undefined],
    ['isUndefined(floor([1, 2, 3]))', true],
    ['isNull(missing)', false],
    ['length(false)', 5],
    ["regexp_substr('hihihello', '(hi)*')", 'hihi'],
    ["numbytes('€')", 3],
    ['topic()', '$aws/things/edge-1/shadow/name/prog/update/accepted'],
    ['topic(99)', undefined],
    ['accountid()', '000000000000'],
    ["sha256('a')", 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
  ])('%s', (text, expected) => {
    const where = context(Buffer.from(JSON.stringify(payload)));
    expect(evaluate(parseRuleExpression(text), payload, where)).toEqual(expected);
  });

  test('templates mix text and expressions', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a substitution template
    const template = parseTemplate("a/${topic(3)}/${get({'x': 'y}'}, 'x')}.json");
    const where = context(new Uint8Array());
    expect(fillTemplate(template, payload, where)).toBe('a/edge-1/y}.json');
  });
});

describe('topic filters', () => {
  test.each<[string, string, boolean]>([
    ['a/+/c', 'a/b/c', true],
    ['a/+/c', 'a/b/b/c', false],
    ['a/#', 'a/b/c', true],
    ['a/#', 'a', false],
    ['a/#', 'a/', true],
    ['+/#', 'a', false],
    ['#', 'a/b', true],
    ['#', '$aws/things/x/shadow/update', false],
    ['+/b', '$aws/b', false],
    ['$aws/events/presence/#', '$aws/events/presence/connected/edge-1', true],
    ['a', 'A', false],
  ])('%s against %s: %s', (filter, topic, holds) => {
    expect(select(`SELECT * FROM '${filter}'`, payload, topic) !== undefined).toBe(holds);
  });

  test('Basic Ingest reaches one rule and hides its prefix', () => {
    expect(select("SELECT topic() AS t FROM 'x'", payload, '$aws/rules/r/a/b')).toEqual({
      t: 'a/b',
    });
    expect(select("SELECT * FROM '#'", payload, '$aws/rules/other/a/b')).toBeUndefined();
  });
});

describe('refused at start', () => {
  test.each<[string, Partial<ResolvedTopicRule>, RegExp]>([
    ["SELECT (SELECT a FROM b) FROM 'x'", {}, /Topic rule r: expected an expression/],
    ["SELECT CASE a WHEN 1 THEN 2 END FROM 'x'", {}, /expected an expression/],
    ["SELECT aws_lambda('a', b) AS x FROM 'x'", {}, /supported function instead of aws_lambda/],
    ["SELECT topic(3) FROM 'x'", {}, /expected AS and a name/],
    ["SELECT a FROM 'x' WHERE", {}, /expected an expression/],
    ['SELECT a FROM x', {}, /expected a topic filter in quotes/],
    ["SELECT a FROM 'x' GROUP BY a", {}, /expected the end/],
    ["SELECT a FROM 'x/#/y'", {}, /is not a topic filter/],
    ["SELECT a ~ b FROM 'x'", {}, /unexpected character ~/],
    ["SELECT coalesce(a, b) AS x FROM 'x'", {}, /supported function instead of coalesce/],
    ["SELECT upper(a, b) AS u FROM 'x'", {}, /does not take 2 arguments/],
    ["SELECT * FROM 'x'", { sqlVersion: '2015-10-08' }, /SQL version 2015-10-08/],
    ["SELECT * FROM 'x'", { actions: [] }, /it has 0 actions/],
    [
      "SELECT * FROM 'x'",
      { actions: [{ Kinesis: { StreamName: 's' } }] },
      /action Kinesis is not supported/,
    ],
    ["SELECT * FROM 'x'", { actions: [{ Sqs: { QueueUrl: 'http://q/1/a.fifo' } }] }, /FIFO/],
    ["SELECT * FROM 'x'", { actions: [{ Sqs: {} }] }, /an action has no queueurl/],
    [
      "SELECT * FROM 'x'",
      { errorAction: { Sns: { TargetArn: 'a' } } },
      /action Sns is not supported/,
    ],
  ])('%s %j', (sql, more, message) => {
    expect(() => parseRules([rule(sql, more)])).toThrow(message);
  });

  test('a disabled rule is not triggered', () => {
    const rules = parseRules([rule("SELECT * FROM 'x'", { disabled: true })]);
    expect(rules.triggered('x', new Uint8Array(), context(new Uint8Array(), 'x'))).toEqual([]);
  });
});
