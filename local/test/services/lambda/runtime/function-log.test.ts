/** The log of a function: its bound, and the lines of one request among those of others. */
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFunctionLog } from '../../../../services/lambda/runtime/function-log.ts';
import { temporaryDir } from '../../../temporary-dir.ts';

const dir = temporaryDir();

afterAll(() => rmSync(dir, { recursive: true }));

test('a full file starts anew, and who has it open goes on writing to it', () => {
  const path = join(dir, 'full.log');
  const log = openFunctionLog(path, 4_096);
  const process = openSync(path, 'a');
  const filler = 'x'.repeat(99);
  for (let line = 0; line < 64 * 4; line += 1) log.line(filler);
  expect(statSync(path).size).toBeLessThan(4_096 + 64 * 100);
  expect(readFileSync(`${path}.1`, 'utf8')).toContain(filler);
  writeSync(process, 'after the turn\n');
  expect(readFileSync(path, 'utf8')).toMatch(/after the turn\n$/);
  closeSync(process);
  log.close();
});

test('the lines of other requests are left out of the end of a log', () => {
  const log = openFunctionLog(join(dir, 'shared.log'));
  const own = '11111111-1111-4111-8111-111111111111';
  const other = '22222222-2222-4222-8222-222222222222';
  log.line('before');
  const place = log.place();
  log.line(`START RequestId: ${own}`);
  log.line(`START RequestId: ${other}`);
  log.line('a line of nobody');
  log.line(`END RequestId: ${own}`);
  expect(log.tail(place, own)).toBe(
    `START RequestId: ${own}\na line of nobody\nEND RequestId: ${own}\n`,
  );
  log.close();
});
