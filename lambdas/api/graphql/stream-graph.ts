import { createHash } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { GraphQLError, OperationTypeNode } from 'graphql';
import { ProblemError } from '../../../core/contract/problem.ts';
import type { Route } from '../../../core/contract/routes.ts';
import {
  eventStreamBeatMs,
  eventStreamMsMax,
  graphLookMs,
  graphLookMsPerCost,
  graphPauseFactor,
} from '../../../core/events/limits.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { EventSink } from '../events/event-sink.ts';
import { answerStreamed, routeAt } from '../events/streamed-answer.ts';
import { checkQuery } from '../http/call.ts';
import type { Ports } from '../ports.ts';
import { admit } from '../tokens/admit-caller.ts';
import { bearerOf, type CallerSources } from '../tokens/identify-caller.ts';
import { askFor, type WatchDeps } from './ask.ts';
import {
  answerTo,
  type GraphAnswer,
  type Question,
  readQuestion,
  refused,
} from './graph-document.ts';
import { takePlace } from './stream-places.ts';
import { watchRootOf } from './watch-root.ts';

export const graphPath = '/graphql';

/**
 * Subscriptions over server-sent events, one connection each, in the protocol of `graphql-sse`:
 * what is there at first, then what it has become, each time that it is something else. A message
 * has all that was asked for, under its version, so that one that is missed leaves no view wrong.
 */
export type GraphStreamDeps = WatchDeps &
  Pick<Ports, 'idempotency' | 'random'> & {
    readonly callers: CallerSources;
    readonly pause: (ms: number) => Promise<void>;
  };

export async function streamGraph(
  event: APIGatewayProxyEventV2,
  sink: EventSink,
  deps: GraphStreamDeps,
): Promise<void> {
  await answerStreamed(event, sink, deps, async (call, begin) => {
    const route = routeAt(graphPath, call);
    const bearer = bearerOf(call.headers.authorization);
    const caller = await admit(bearer, route, deps);
    checkQuery(call, []);
    const question = readQuestion({ ...call, caller });
    if (!('document' in question)) return refused(question);
    if (question.kind !== OperationTypeNode.SUBSCRIPTION) return refused([noSubscription]);
    const giveBack = await takePlace(caller, deps);
    const seen = call.headers['last-event-id'] ?? null;
    const { requestId } = call;
    const watcher = { question, route, bearer, caller, requestId, seen };
    await watch(watcher, begin, sink, deps).finally(giveBack);
    return null;
  });
}

const noSubscription = new GraphQLError(
  'Here are subscriptions; ask for anything else at /graphql, for JSON.',
);

type Watcher = {
  readonly question: Question;
  readonly route: Route;
  readonly bearer: string | null;
  readonly caller: Caller;
  readonly requestId: string;
  /** The version that the reader has already. */
  readonly seen: string | null;
};

/** Ends without saying that it is complete: its reader asks again. */
async function watch(
  watcher: Watcher,
  begin: () => void,
  sink: EventSink,
  deps: GraphStreamDeps,
): Promise<void> {
  const { clock, pause } = deps;
  const endsAtMs = clock.nowMs() + eventStreamMsMax;
  let beatAtMs = clock.nowMs() + eventStreamBeatMs;
  let { caller, seen } = watcher;
  let hasBegun = false;
  for (let nowMs = clock.nowMs(); nowMs < endsAtMs; ) {
    const answer = await look(watcher, caller, deps);
    const outage = outageIn(answer);
    if (!hasBegun) {
      if (outage !== undefined) throw new ProblemError(outage);
      begin();
      hasBegun = true;
      // An answer begins with its first byte, and nothing else comes to who has this version.
      if (!(await sink.write(': here\n\n'))) return;
    }
    const version = versionOf(answer);
    if (version !== seen && outage === undefined) {
      if (!(await sink.write(messageOf(answer, version)))) return;
      seen = version;
      if (isRefusal(answer)) {
        await sink.write('event: complete\ndata:\n\n');
        return;
      }
    }
    const tookMs = clock.nowMs() - nowMs;
    const { cost } = watcher.question;
    await pause(Math.max(graphLookMs, tookMs * graphPauseFactor, cost * graphLookMsPerCost));
    nowMs = clock.nowMs();
    if (nowMs < beatAtMs) continue;
    caller = await admit(watcher.bearer, watcher.route, deps);
    if (!(await sink.write(': going on\n\n'))) return;
    beatAtMs = nowMs + eventStreamBeatMs;
  }
}

function look(
  { question, requestId }: Watcher,
  caller: Caller,
  deps: GraphStreamDeps,
): Promise<GraphAnswer> {
  const context = { caller, nowMs: deps.clock.nowMs(), requestId };
  return answerTo(question, watchRootOf(askFor(context, deps)));
}

/** Something was away for a moment: what was read says nothing. */
function outageIn({ errors = [] }: GraphAnswer): 'temporarily-unavailable' | undefined {
  const isOutage = errors.some(({ extensions }) => {
    const status = extensions?.status ?? 0;
    return status >= 500 || status === 429;
  });
  return isOutage ? 'temporarily-unavailable' : undefined;
}

/** Nothing was answered, and nothing will be. */
function isRefusal({ data, errors }: GraphAnswer): boolean {
  return errors !== undefined && Object.values(data ?? {}).every((value) => value === null);
}

const versionOf = (answer: GraphAnswer): string =>
  createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 16);

function messageOf(answer: GraphAnswer, version: string): string {
  const data = JSON.stringify({ ...answer, extensions: { version } });
  return `event: next\nid: ${version}\ndata: ${data}\n\n`;
}
