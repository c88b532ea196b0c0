import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  bodyOfSpec,
  bodyOfText,
  emptyFields,
  labelsOf,
} from '../../../dashboard/model/submit-fields.ts';

describe('submit form', () => {
  test('an untouched form asks for nothing but power', () => {
    expect(bodyOf(emptyFields)).toEqual({ ok: true, value: { power: 400 } });
  });

  test('every field finds its place in the body', () => {
    const read = bodyOf({
      ...emptyFields,
      name: ' render ',
      pool: 'north',
      priority: '70',
      sizeBy: 'chunkPower',
      power: '10',
      chunks: '400',
      run: 'process',
      command: 'echo $EDGEWISE_CHUNK',
      requires: 'site=north, gpu=a100',
      labels: 'team=a',
      attempts: '5',
      policy: 'pack',
      keepOutput: 'all',
    });
    expect(read).toEqual({
      ok: true,
      value: {
        name: 'render',
        pool: 'north',
        priority: 70,
        chunkPower: 10,
        chunks: 400,
        run: { process: { argv: ['sh', '-c', 'echo $EDGEWISE_CHUNK'] } },
        requires: { labels: { site: 'north', gpu: 'a100' } },
        labels: { team: 'a' },
        retries: { attempts: 5 },
        placement: { policy: 'pack' },
        keepOutput: 'all',
      },
    });
  });

  test.each([
    [{ power: 'lots' }, 'power'],
    [{ chunks: '1.5' }, 'chunks'],
    [{ labels: 'team' }, 'labels'],
    [{ run: 'process' as const }, 'command'],
    [{ run: 'container' as const }, 'image'],
    [{ seconds: '-1' }, 'seconds'],
  ])('%j names the field', (change, field) => {
    expect(bodyOf({ ...emptyFields, ...change })).toMatchObject({ ok: false, field });
  });

  test('labels may hold an equals sign in their value', () => {
    expect(labelsOf('query=a=b,\nteam=x')).toEqual({ query: 'a=b', team: 'x' });
    expect(labelsOf('=x')).toBeNull();
    const named = labelsOf('constructor=a, __proto__=b') ?? {};
    expect(JSON.stringify(named)).toBe('{"constructor":"a","__proto__":"b"}');
  });

  test('text that is no object is refused in words', () => {
    for (const text of ['', '[]', 'null', '{"power":']) {
      expect(bodyOfText(text)).toMatchObject({ ok: false, field: 'json' });
    }
    expect(bodyOfText('{"power":4}')).toEqual({ ok: true, value: { power: 4 } });
  });

  test('a stored spec is submitted again without what is not set', () => {
    expect(bodyOfSpec({ power: 4, chunkPower: null, name: null })).toEqual({ power: 4 });
  });
});
