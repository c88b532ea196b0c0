import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { graphqlBytesMax, graphqlCostMax, graphqlDepthMax } from '../../../../core/model/limits.ts';
import {
  measureDocument,
  nestingRefusal,
  refusalOf,
} from '../../../../lambdas/api/graphql/document-limits.ts';
import { graphSchema } from '../../../../lambdas/api/graphql/schema.ts';

const measure = (query: string) => measureDocument(parse(query), {});

/** `length` fragments, each of which spreads the next one twice. */
function bomb(length: number, leaf = 'version'): string {
  const links = Array.from({ length }, (_, at) => {
    const next = at === length - 1 ? leaf : `...f${at + 1} ...f${at + 1}`;
    return `fragment f${at} on Query {${next}}`;
  });
  return `{...f0} ${links.join(' ')}`;
}

test('fragments that spread the next one twice cost what they unfold to', () => {
  const query = bomb(40, '__typename');
  expect(query.length).toBeLessThan(graphqlBytesMax);
  const started = process.cpuUsage();
  const { cost } = measure(query);
  const { user } = process.cpuUsage(started);
  expect(cost).toBe(2 ** 40 - 1);
  expect(refusalOf(measure(query))).toMatch(/nests at most 8 levels/);
  const wide = `${bomb(7, '...leaf '.repeat(60))} fragment leaf on Query {__typename}`;
  expect(refusalOf(measure(wide))).toMatch(/may cost 3000; this one costs/);
  // Unfolded it would be hours.
  expect(user / 1_000).toBeLessThan(1_000);
});

test('a list is as long as the default of its variable says, in each operation', () => {
  const nested = 'jobs(first:$n){nodes{...job}}';
  const fragment = 'fragment job on Job {executions(first:$n){nodes{edge{name}}}}';
  const query = `query($n:Int=400){${nested}} ${fragment}`;
  const written = measure(query.replaceAll('$n)', '400)'));
  expect(written.cost).toBeGreaterThan(400 * 400);
  expect(measure(query)).toEqual(written);
  expect(measureDocument(parse(query), { n: 2 }).cost).toBeLessThan(100);
  const two = `query a($n:Int=1){${nested}} query b($n:Int=400){${nested}} ${fragment}`;
  expect(measure(two)).toEqual(written);
});

test.each(['[', '{a', '{a(b:', '{a(b:{c:'])('a document that only opens %s is refused', (piece) => {
  const query = piece.repeat(graphqlBytesMax / piece.length);
  expect(nestingRefusal(query)).toMatch(/at most 64 brackets/);
  expect(nestingRefusal(piece.repeat(8))).toBeNull();
});

test('brackets in texts and comments open nothing', () => {
  expect(nestingRefusal(`{a(b:"${'['.repeat(500)}")} # ${'{'.repeat(500)}`)).toBeNull();
});

test('a long chain of fragments is deep, one that comes back to itself is refused', () => {
  const chain = (length: number) =>
    `{...f0} ${Array.from({ length }, (_, at) =>
      at === length - 1
        ? `fragment f${at} on Query {__typename}`
        : `fragment f${at} on Query {...f${at + 1}}`,
    ).join(' ')}`;
  expect(refusalOf(measure(chain(graphqlDepthMax)))).toBeNull();
  expect(refusalOf(measure(chain(graphqlDepthMax + 2)))).toMatch(/nests at most/);
  const circle = 'query {...a} fragment a on Query {...b} fragment b on Query {...a}';
  expect(measure(circle).cost).toBeLessThan(graphqlCostMax);
  expect(validate(graphSchema, parse(circle)).map(String).join()).toMatch(/within itself/);
});

test('a fragment costs what stands in it, wherever it is spread', () => {
  const written = measure('{jobs(first:100){nodes{executions(first:5){nodes{edge{name}}}}}}');
  const spread = measure(`{jobs(first:100){nodes{...job}}}
    fragment job on Job {executions(first:5){nodes{...run}}}
    fragment run on Execution {edge{name}}`);
  expect(spread.depth).toBe(written.depth);
  expect(spread.cost).toBe(written.cost + 2);
});
