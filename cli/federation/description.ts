import * as z from 'zod';
import {
  type PoolBody,
  poolBodySchema,
  type QueueBody,
  queueBodySchema,
  type TokenBody,
  tokenBodySchema,
} from '../../core/contract/fleet-body.ts';
import { nameSchema } from '../../core/contract/text-schema.ts';
import { type Checked, checkBody, type FieldError } from '../../core/contract/validation.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { documentOf, readSpecText } from '../input/spec-file.ts';
import { describedNamesMax, stagesMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

/**
 * What several stages are to have: pools, queues and tokens by their names, each described whole,
 * with the defaults of the API for what it does not say. `null` says that there is none of that
 * name. What is not named is nobody's business here. It holds no secrets, and none fits in.
 */
export type Description = {
  /** Names of contexts. */
  readonly stages: readonly string[];
  readonly pools: ReadonlyMap<string, PoolBody | null>;
  readonly queues: ReadonlyMap<string, QueueBody | null>;
  readonly tokens: ReadonlyMap<string, TokenBody | null>;
};

/** The name of a stage is that of a directory, too, for the secrets of its tokens. */
const stageSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, { error: 'A stage is the name of a context.' });

function named<S extends z.ZodType>(schema: S) {
  return z
    .record(nameSchema, schema.nullable())
    .refine((table) => Object.keys(table).length <= describedNamesMax, {
      error: `At most ${describedNamesMax} of a kind are described.`,
    })
    .default({});
}

const descriptionSchema = z.strictObject({
  stages: z.array(stageSchema).max(stagesMax).default([]),
  pools: named(poolBodySchema),
  queues: named(queueBodySchema),
  tokens: named(tokenBodySchema),
});

export function readDescription(value: unknown): Checked<Description> {
  const checked = checkBody(descriptionSchema, withTokenNames(value));
  if (!checked.ok) return checked;
  const { stages, pools, queues, tokens } = checked.value;
  const errors: FieldError[] = [];
  if (new Set(stages).size < stages.length) {
    errors.push({ pointer: '/stages', message: 'A stage is named twice.' });
  }
  if (queues.default === null) {
    const message = 'The queue "default" is always there: say what it is to be.';
    errors.push({ pointer: '/queues/default', message });
  }
  if (isRecord(value) && isRecord(value.tokens)) {
    for (const [name, token] of Object.entries(value.tokens)) {
      if (!isRecord(token) || !('name' in token)) continue;
      const message = 'The name of a token is the one that it is described under.';
      errors.push({ pointer: `/tokens/${name}/name`, message });
    }
  }
  if (errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    value: {
      stages,
      pools: new Map(Object.entries(pools)),
      queues: new Map(Object.entries(queues)),
      tokens: new Map(Object.entries(tokens)),
    },
  };
}

/** The body of a token has its name inside, a description has it as the key. */
function withTokenNames(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.tokens)) return value;
  const tokens = Object.entries(value.tokens).map(([name, token]) => [
    name,
    isRecord(token) ? { ...token, name } : token,
  ]);
  return { ...value, tokens: Object.fromEntries(tokens) };
}

/** Every mistake with its place; no stage is asked before the file is whole. */
export async function descriptionIn(terminal: Terminal, file: string): Promise<Description> {
  const read = readDescription(documentOf(await readSpecText(terminal, file), file));
  if (read.ok) return read.value;
  const lines = read.errors.map(({ pointer, message }) => `${pointer || '/'}: ${message}`);
  throw new Failure(exitCode.usage, `${file} is no description.`, lines.join('\n  '));
}
