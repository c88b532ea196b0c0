import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCode } from '../../cli/exit-code.ts';
import { playSession } from './session.ts';

/**
 * Golden sessions. After a wanted change: UPDATE_GOLDEN=1 npx vitest run test/cli/sessions.test.ts,
 * and read the difference.
 */
const directory = join(import.meta.dirname, 'sessions');
const names = readdirSync(directory).filter((name) => name.endsWith('.golden.txt'));
const linesMax = 60;

describe('golden sessions', () => {
  test.each(names)('%s', async (name) => {
    const path = join(directory, name);
    const expected = readFileSync(path, 'utf8');
    const played = await playSession(expected);
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, played);
    else expect(played).toBe(expected);
    expect(played.split('\n').length, 'a session fits a screen').toBeLessThanOrEqual(linesMax);
  });

  test('every exit code occurs in a session', () => {
    const texts = names.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n');
    const seen = new Set([...texts.matchAll(/^= (\d+)$/gm)].map((match) => Number(match[1])));
    expect([...seen].sort()).toEqual(Object.values(exitCode).sort());
  });
});
