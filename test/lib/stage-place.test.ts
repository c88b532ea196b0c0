import { describe, expect, test } from 'vitest';
import { requiredStageName } from '../../lib/frame/stage-name.ts';
import { declaredPlaces, parsePlace, refusalElsewhere } from '../../lib/frame/stage-place.ts';

const prod = requiredStageName('prod');
const account = '123456789012';

test('a place is an account, or a region of it', () => {
  expect(parsePlace(account)).toEqual({ account, region: null });
  expect(parsePlace(`${account}/eu-west-1`)).toEqual({ account, region: 'eu-west-1' });
  expect(parsePlace(`${account}/us-gov-east-1`)).toMatchObject({ region: 'us-gov-east-1' });
});

test.each([
  undefined,
  123456789012,
  '',
  '12345678901',
  `${account}/`,
  `${account}/Ireland`,
  'prod',
])('%s is none', (text) => {
  expect(parsePlace(text)).toBeNull();
});

describe('credentials', () => {
  const [ours, here, other] = [account, `${account}/eu-west-1`, `${account}/us-east-1`];
  const refusal = (account: string, region: string, ...places: string[]) =>
    refusalElsewhere(
      prod,
      places.map((it) => parsePlace(it)!),
      { account, region },
    );

  test.each([
    ['eu-west-1', [ours]],
    ['eu-west-1', [here]],
    ['us-east-1', [here, other]],
  ])('of %s do for %j', (region, places) => {
    expect(refusal(account, region, ...places)).toBeNull();
  });

  test('of another account, another region, or for a stage that belongs nowhere do not', () => {
    expect(refusal('999999999999', 'eu-west-1', ours, here)).toBe(
      'Edgewise-prod belongs in 123456789012 or 123456789012/eu-west-1; ' +
        'these credentials are of 999999999999/eu-west-1.',
    );
    expect(refusal(account, 'us-east-1', here)).toContain('are of 123456789012/us-east-1');
    expect(refusal(account, 'eu-west-1')).toContain('belongs nowhere');
  });
});

test('stages say where they belong, one place or several', () => {
  const declared = { prod: `${account}/eu-west-1`, staging: [account, '999999999999'] };
  expect(declaredPlaces(declared, prod)).toEqual([{ account, region: 'eu-west-1' }]);
  expect(declaredPlaces(declared, requiredStageName('staging'))).toHaveLength(2);
  expect(declaredPlaces(declared, requiredStageName('trial'))).toBeNull();
  expect(declaredPlaces(undefined, prod)).toBeNull();
});

test.each([
  ['prod', /stages with their places/],
  [[account], /stages with their places/],
  [{ prod: 'ireland' }, /prod: a place is ACCOUNT or ACCOUNT\/REGION.*, not ireland/],
  [{ prod: [account, 12] }, /not 12/],
])('%j forbids nothing by mistake: it is an error', (declared, sentence) => {
  expect(() => declaredPlaces(declared, prod)).toThrow(sentence);
});

test('what every object has is no stage', () => {
  expect(declaredPlaces({}, requiredStageName('constructor'))).toBeNull();
});
