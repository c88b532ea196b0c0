import {
  type DocumentNode,
  execute,
  GraphQLError,
  getOperationAST,
  type OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import type * as z from 'zod';
import { graphqlBodySchema } from '../../../core/contract/graphql-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { answerBytesMax, graphqlBytesMax, graphqlTokensMax } from '../../../core/model/limits.ts';
import type { Answer, Call } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { outageOf } from '../http/outage.ts';
import { carriedBytes } from '../http/page.ts';
import { measureDocument, nestingRefusal, refusalOf } from './document-limits.ts';
import { graphSchema } from './schema.ts';

/** A document that was checked against the schema and the limits, with what it is run with. */
export type Question = {
  readonly document: DocumentNode;
  readonly body: z.output<typeof graphqlBodySchema>;
  readonly cost: number;
  /** `null` when it has several operations and names none; running it says so. */
  readonly kind: OperationTypeNode | null;
};

/** As it is answered. */
export type GraphAnswer = {
  readonly data?: { readonly [field: string]: unknown } | null;
  readonly errors?: readonly ErrorView[];
};

/** What cannot be asked is refused with the errors in the graph's own form. */
export function readQuestion(call: Call): Question | readonly GraphQLError[] {
  const body = readBody(call, graphqlBodySchema);
  if (Buffer.byteLength(body.query) > graphqlBytesMax) {
    throw new ProblemError('body-too-large', `A query has at most ${graphqlBytesMax} bytes.`);
  }
  const document = parsed(body.query);
  if (document instanceof GraphQLError) return [document];
  const measure = measureDocument(document, body.variables ?? {});
  const refusal = refusalOf(measure);
  if (refusal !== null) return [new GraphQLError(refusal)];
  const errors = validate(graphSchema, document, undefined, { maxErrors: 10 });
  if (errors.length > 0) return errors;
  const kind = getOperationAST(document, body.operationName)?.operation ?? null;
  return { document, body, cost: measure.cost, kind };
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    const refusal = nestingRefusal(query);
    if (refusal !== null) return new GraphQLError(refusal);
    return parse(query, { maxTokens: graphqlTokensMax, noLocation: false });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Errors of single fields come beside the data of the others. */
export async function answerTo(
  { document, body }: Question,
  rootValue: unknown,
): Promise<GraphAnswer> {
  const result = await execute({
    schema: graphSchema,
    document,
    rootValue,
    ...(body.variables === null ? {} : { variableValues: body.variables }),
    ...(body.operationName === null ? {} : { operationName: body.operationName }),
  });
  const data = result.data === undefined ? {} : { data: result.data };
  const failed = result.errors === undefined ? {} : { errors: result.errors.map(errorView) };
  const answer = { ...data, ...failed };
  if (carriedBytes(JSON.stringify(answer)) <= answerBytesMax) return answer;
  const most = `An answer has at most ${answerBytesMax} bytes`;
  return { errors: [{ message: `${most}; ask for fewer items a page, or fewer fields.` }] };
}

export function refused(errors: readonly GraphQLError[]): Answer {
  return { status: 400, body: { errors: errors.map(errorView) } };
}

type ErrorView = {
  readonly message: string;
  readonly path?: GraphQLError['path'];
  readonly locations?: GraphQLError['locations'];
  readonly extensions?: {
    readonly code: ProblemError['code'];
    readonly status: number;
    readonly errors?: ProblemError['errors'];
  };
};

/** A user's mistake keeps its sentence and code; ours says nothing of its inside. */
function errorView(error: GraphQLError): ErrorView {
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
