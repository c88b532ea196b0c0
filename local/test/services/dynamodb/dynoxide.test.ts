import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dynoxideProgram } from '../../../services/dynamodb/dynoxide.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dynoxide-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** What the engine asks before every write to a table with a stream. */
const newest =
  'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 ' +
  "FROM _stream_records WHERE table_name = 'fleet'";

test('the newest record of a stream is found without reading the others', () => {
  const program = dynoxideProgram(dir, { host: '127.0.0.1', port: 4000, accessKeyId: 'key' });
  if (program === undefined) return expect(platform).not.toBe('linux-x64');
  const engine = new DatabaseSync(join(dir, 'dynoxide.db'));
  engine.exec(
    'CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, table_name TEXT, sequence_number TEXT)',
  );
  engine.close();
  expect(plan()).not.toContain('stream_records_by_number');
  program.ready?.();
  program.ready?.();
  expect(plan()).toContain('stream_records_by_number (table_name=?)');
});

const platform = `${process.platform}-${process.arch}`;

/**
 * A connection of its own: explaining does not notice what changed since another one was opened.
 */
function plan(): string {
  const looking = new DatabaseSync(join(dir, 'dynoxide.db'));
  const steps = looking.prepare(`EXPLAIN QUERY PLAN ${newest}`).all();
  looking.close();
  return JSON.stringify(steps);
}
