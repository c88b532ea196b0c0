import { GraphQLError, OperationTypeNode } from 'graphql';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { contextOf } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { askFor, type GraphDeps } from './ask.ts';
import { answerTo, readQuestion, refused } from './graph-document.ts';
import { rootOf } from './resolvers.ts';
import { graphPath } from './stream-graph.ts';

/**
 * `POST /graphql`: checks the document against the schema and the limits, then runs it. A document
 * that cannot be run is 400 with the errors in the graph's own form; errors of single fields come
 * beside the data of the others. What is to be streamed is at another address.
 */
export const postGraphql = { handle };

async function handle(call: Call, deps: GraphDeps & Pick<Ports, 'eventStream'>): Promise<Answer> {
  checkQuery(call, []);
  const question = readQuestion(call);
  if (!('document' in question)) return refused(question);
  const isWatching = question.kind === OperationTypeNode.SUBSCRIPTION;
  const { accept = '' } = call.headers;
  const takesStream = accept.includes('text/event-stream');
  if (isWatching && !takesStream) return refused([withoutStream]);
  if (takesStream && (isWatching || !accept.includes('json'))) {
    return { status: 307, headers: { location: new URL(graphPath, deps.eventStream).href } };
  }
  const body = await answerTo(question, rootOf(askFor(contextOf(call), deps)));
  return { status: body.data === undefined ? 400 : 200, body };
}

const withoutStream = new GraphQLError(
  'A subscription is asked for with "accept: text/event-stream".',
);
