import { randomUUID } from 'node:crypto';
import type { Pool, Queue, Token } from '../../core/contract/resources.ts';
import { namedValue } from '../../core/protocol/named-values.ts';
import { type Api, openApi } from '../client/api.ts';
import { listPages } from '../client/pages.ts';
import { readContexts } from '../config/context-file.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { listItemsMax, stagesMax } from '../limits.ts';
import { tokenRenewal } from '../login/renew-token.ts';
import { poolPath } from '../pool/get-pool.ts';
import { queuePath } from '../queue/get-queue.ts';
import type { Terminal } from '../terminal.ts';
import type { Description } from './description.ts';
import { type Drift, driftOf } from './drift.ts';
import type { SecretFiles } from './secret-files.ts';

/**
 * One of the deployments that a description is about: a context, with its own address and token.
 * What goes wrong with it is its own, and said beside what went well elsewhere.
 */
export type Stage = {
  readonly name: string;
  readonly api: Api;
  /** What it is called with, to which no end is put from here. */
  readonly token: string | null;
};

/** A drift, and in words why it is still there; `null` when it is gone. */
export type Mended = { readonly drift: Drift; readonly problem: string | null };

export type StageReport = {
  readonly stage: Stage;
  readonly drifts: readonly Drift[];
  /** Why nothing is known of it. */
  readonly problem: string | null;
};

/** Flags and the environment name one API; here each stage is its context and nothing else. */
export function stagesOf(
  terminal: Terminal,
  wanted: Description,
  chosen: readonly string[],
): readonly Stage[] {
  const names = [...new Set(chosen.length > 0 ? chosen : wanted.stages)];
  if (names.length === 0) {
    throw usage('No stage is named.', 'Write "stages: [lab, north]", or give --stage CONTEXT.');
  }
  if (names.length > stagesMax) throw usage(`At most ${stagesMax} stages are described at once.`);
  const { contexts } = readContexts(terminal);
  return names.map((name) => {
    const context = namedValue(contexts, name);
    if (context === undefined) {
      const known = Object.keys(contexts).join(', ') || 'none';
      throw usage(`There is no context "${name}".`, `Known: ${known}`);
    }
    const { api: url, token } = context;
    const renewed = context.renewal == null ? {} : { renew: tokenRenewal(name, terminal) };
    return { name, api: openApi({ url, token, ...renewed }, terminal), token };
  });
}

/** All at once: one that does not answer keeps nobody waiting but itself. */
export function compareStages(
  terminal: Terminal,
  wanted: Description,
  stages: readonly Stage[],
): Promise<StageReport[]> {
  return Promise.all(
    stages.map(async (stage) => {
      try {
        const [pools, queues, tokens] = await Promise.all([
          all<Pool>(stage.api, '/v1/pools'),
          all<Queue>(stage.api, '/v1/queues'),
          all<Token>(stage.api, '/v1/tokens'),
        ]);
        const drifts = driftOf(wanted, { pools, queues, tokens }, terminal.nowMs());
        return { stage, drifts, problem: null };
      } catch (error) {
        return { stage, drifts: [], problem: sentenceOf(error) };
      }
    }),
  );
}

async function all<T>(api: Api, path: string): Promise<readonly T[]> {
  return (await listPages<T>(api, path, {}, listItemsMax)).items;
}

/**
 * Brings one stage to what is described, as far as it goes: what it refuses stands alone, and once
 * it no longer answers it is asked nothing more.
 */
export async function mendStage(
  { stage, drifts }: StageReport,
  secrets: SecretFiles | null,
): Promise<readonly Mended[]> {
  const mended: Mended[] = [];
  let gone: string | null = null;
  for (const drift of drifts) {
    let problem: string | null = gone;
    try {
      if (gone === null) await mend(stage, drift, secrets);
    } catch (error) {
      problem = sentenceOf(error);
      if (isUnanswered(error)) gone = problem;
    }
    mended.push({ drift, problem });
  }
  return mended;
}

async function mend(stage: Stage, drift: Drift, secrets: SecretFiles | null): Promise<void> {
  const { kind, name, body } = drift;
  if (kind === 'token') return mendToken(stage, drift, secrets);
  const path = kind === 'pool' ? poolPath(name) : queuePath(name);
  await (body === null ? remove(stage.api, path) : stage.api.ask('PUT', path, { body }));
}

type Made = { readonly id: string; readonly secret: string };

/** The new one is there, and its secret kept, before the old ones open nothing any more. */
async function mendToken(
  { name: stage, api, token }: Stage,
  { name, body, revoked }: Drift,
  secrets: SecretFiles | null,
): Promise<void> {
  if (body !== null) {
    if (secrets === null) throw usage('Without --secrets its secret would be lost.');
    const keep = secrets.prepare(stage, name);
    const headers = { 'idempotency-key': randomUUID() };
    const made = (await api.ask<Made>('POST', '/v1/tokens', { body, headers })).body;
    try {
      keep(made.secret);
    } catch (error) {
      await remove(api, tokenPath(made.id));
      throw error;
    }
  }
  for (const id of revoked) {
    if (token?.startsWith(`ew_${id}_`)) {
      throw usage('This stage is called with that token: revoke it with another one.');
    }
    await remove(api, tokenPath(id));
  }
}

const tokenPath = (id: string): string => `/v1/tokens/${encodeURIComponent(id)}`;

/** What somebody else has removed meanwhile is gone as well. */
async function remove(api: Api, path: string): Promise<void> {
  try {
    await api.ask('DELETE', path);
  } catch (error) {
    if (!(error instanceof Failure && error.code === exitCode.notFound)) throw error;
  }
}

/** As opposed to a refusal, of the stage or of this program. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Failure && error.code === exitCode.failure && error.problem === null;
}

/** Ctrl-C is meant for all stages, and a defect of this program is no problem of a stage. */
function sentenceOf(error: unknown): string {
  if (error instanceof Failure && error.code !== exitCode.interrupted) return error.message;
  throw error;
}
