import {
  type DocumentNode,
  execute,
  GraphQLError,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { graphqlBodySchema } from '../../../core/contract/graphql-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { answerBytesMax, graphqlBytesMax, graphqlTokensMax } from '../../../core/model/limits.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { outageOf } from '../http/outage.ts';
import { carriedBytes } from '../http/page.ts';
import { contextOf } from '../operation.ts';
import { askFor, type GraphDeps } from './ask.ts';
import { measureDocument, nestingRefusal, refusalOf } from './document-limits.ts';
import { rootOf } from './resolvers.ts';
import { graphSchema } from './schema.ts';

/**
 * `POST /graphql`: checks the document against the schema and the limits, then runs it. A document
 * that cannot be run is 400 with the errors in the graph's own form; errors of single fields come
 * beside the data of the others.
 */
export const postGraphql = { handle };

async function handle(call: Call, deps: GraphDeps): Promise<Answer> {
  checkQuery(call, []);
  const body = readBody(call, graphqlBodySchema);
  if (Buffer.byteLength(body.query) > graphqlBytesMax) {
    throw new ProblemError('body-too-large', `A query has at most ${graphqlBytesMax} bytes.`);
  }
  const document = parsed(body.query);
  if (document instanceof GraphQLError) return refused([document]);
  const refusal = refusalOf(measureDocument(document, body.variables ?? {}));
  if (refusal !== null) return refused([new GraphQLError(refusal)]);
  const errors = validate(graphSchema, document, undefined, { maxErrors: 10 });
  if (errors.length > 0) return refused(errors);
  const result = await execute({
    schema: graphSchema,
    document,
    rootValue: rootOf(askFor(contextOf(call), deps)),
    ...(body.variables === null ? {} : { variableValues: body.variables }),
    ...(body.operationName === null ? {} : { operationName: body.operationName }),
  });
  const data = result.data === undefined ? {} : { data: result.data };
  const failed = result.errors === undefined ? {} : { errors: result.errors.map(errorView) };
  const status = result.data === undefined ? 400 : 200;
  const answer = { ...data, ...failed };
  if (carriedBytes(JSON.stringify(answer)) > answerBytesMax) return refused([tooLarge()]);
  return { status, body: answer };
}

function tooLarge(): GraphQLError {
  const most = `An answer has at most ${answerBytesMax} bytes`;
  return new GraphQLError(`${most}; ask for fewer items a page, or fewer fields.`);
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    const refusal = nestingRefusal(query);
    if (refusal !== null) return new GraphQLError(refusal);
    const document = parse(query, { maxTokens: graphqlTokensMax, noLocation: false });
    const watches = document.definitions.some(
      (it) => 'operation' in it && it.operation === OperationTypeNode.SUBSCRIPTION,
    );
    return watches ? new GraphQLError('There are no subscriptions here.') : document;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function refused(errors: readonly GraphQLError[]): Answer {
  return { status: 400, body: { errors: errors.map(errorView) } };
}

/** A user's mistake keeps its sentence and code; ours says nothing of its inside. */
function errorView(error: GraphQLError) {
  const { message, path, locations, originalError } = error;
  const place = {
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
  };
  if (originalError === undefined || originalError === null) return { message, ...place };
  if (originalError instanceof GraphQLError) return { message, ...place };
  const problem = originalError instanceof ProblemError ? originalError : outageOf(originalError);
  if (problem.status >= 500) {
    const shown = originalError.stack ?? originalError.message;
    console.error(JSON.stringify({ level: 'error', error: shown }));
  }
  const extensions = {
    code: problem.code,
    status: problem.status,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  };
  return { message: problem.message, ...place, extensions };
}
