import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ProblemError } from '../../../core/contract/problem.ts';
import { type Route, routes } from '../../../core/contract/routes.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import type { Log } from '../../log.ts';
import { type Answer, type Call, readCall } from '../http/call.ts';
import { problemAnswer, securityHeaders } from '../http/serve.ts';
import type { EventSink } from './event-sink.ts';

/**
 * An answer that goes on while it is read, or one that is whole, when there is a reason before the
 * first has begun.
 */
export async function answerStreamed(
  event: APIGatewayProxyEventV2,
  sink: EventSink,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  run: (call: Call, begin: () => void) => Promise<Answer | null>,
): Promise<void> {
  const call: Call = { ...readCall(event, clock.nowMs()), caller: null };
  let hasBegun = false;
  const own = { ...securityHeaders, 'x-request-id': call.requestId };
  const begin = () => {
    hasBegun = true;
    sink.begin(200, { ...own, 'content-type': 'text/event-stream; charset=utf-8' });
  };
  const whole = await run(call, begin).catch((error) => problemAnswer(call, error, log));
  if (whole !== null && !hasBegun) {
    sink.begin(whole.status, { ...own, 'content-type': 'application/json', ...whole.headers });
    await sink.write(JSON.stringify(whole.body));
  }
  sink.end();
}

/** The route of an address that streams; refuses every other. */
export function routeAt(address: string, { method, path }: Call): Route {
  const route = routes.find((it) => it.path === address);
  if (route === undefined || path !== address) throw new ProblemError('not-found');
  if (method === route.method) return route;
  throw new ProblemError('method-not-allowed', `This address takes ${route.method}.`, {
    headers: { allow: route.method },
  });
}
