/**
 * Runs inside every function's process: loads the handler and serves the Lambda Runtime API until
 * the local cloud goes away. Plain JavaScript, because stripping types would cost every cold start.
 * Arguments: the folder of the compile cache, and how many invocations run at once where answers
 * stream; of every other function it is one, as on AWS.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { awslambda, responseStream, streamsItsAnswer } from './response-stream.mjs';
import { connectRuntime } from './runtime-connection.mjs';

/** @import { Headers, RuntimeAnswer } from './runtime-connection.mjs' */

/** @typedef {(event: unknown, context: object, done?: Done) => unknown} Handler */
/** @typedef {(error: unknown, result?: unknown) => void} Done */

const [api = '', ...prefix] = environment('AWS_LAMBDA_RUNTIME_API').split('/');
const [host = '', port] = api.split(':');
const base = `/${prefix.join('/')}/2018-06-01/runtime`;
const jsonLog = process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON';
const next = '/invocation/next';
const trailers = 'lambda-runtime-function-error-type, lambda-runtime-function-error-body';
/**
 * One invocation after the other, over a connection of its own.
 *
 * @typedef {ReturnType<typeof newLane>} Lane
 */
/** @type {AsyncLocalStorage<Lane>} */
const current = new AsyncLocalStorage();
const first = newLane();
const { runtime } = first;
Object.assign(globalThis, { awslambda });

// The pipe closes when the local cloud ends, in whatever way it ends.
process.stdin
  .on('end', () => process.exit(0))
  .on('error', () => process.exit(0))
  .resume();
process.stdin.unref?.();
if (process.argv[2]) enableCompileCache(process.argv[2]);
for (const level of /** @type {const} */ (['trace', 'debug', 'info', 'warn', 'error', 'log'])) {
  patch(level);
}

process.on('uncaughtException', (error) => void die(errorOf(error)));
process.on('unhandledRejection', (reason) => {
  const message = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
  void die(errorOf(typed('Runtime.UnhandledPromiseRejection', message)));
});

try {
  const handler = await load(environment('_HANDLER'));
  const more = streamsItsAnswer(handler) ? Number(process.argv[3] ?? 1) - 1 : 0;
  for (let at = 0; at < more; at++) void run(handler, newLane());
  await run(handler, first);
} catch (error) {
  await runtime.post('/init/error', JSON.stringify(errorOf(error)));
  process.exit(1);
}

function newLane() {
  const runtime = connectRuntime(host, Number(port), base);
  return { runtime, requestId: '', isRunning: false, isStreaming: false };
}

/**
 * Until the local cloud goes away.
 *
 * @param {Handler} handler
 * @param {Lane} lane
 */
function run(handler, lane) {
  return current.run(lane, async () => {
    let { coming } = await serve(handler, lane, await lane.runtime.get(next));
    // Now, because a process that is not needed any more is killed.
    flushCompileCache();
    for (;;) ({ coming } = await serve(handler, lane, await coming));
  });
}

/**
 * Resolves when this invocation is answered; `coming` is the one after it.
 *
 * @param {Handler} handler
 * @param {Lane} lane
 * @param {RuntimeAnswer} invocation
 */
async function serve(handler, lane, { headers, body }) {
  const requestId = headers['lambda-runtime-aws-request-id'] ?? '';
  lane.requestId = requestId;
  const deadlineAtMs = Number(headers['lambda-runtime-deadline-ms']);
  process.env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id'];
  lane.isRunning = true;
  /** @param {string} verb @param {string} text */
  const answer = (verb, text) => {
    lane.isRunning = false;
    const memory = { 'x-max-memory-kb': String(process.resourceUsage().maxRSS) };
    return {
      coming: lane.runtime.postAndGet(`/invocation/${requestId}/${verb}`, text, memory, next),
    };
  };
  if (streamsItsAnswer(handler)) {
    const context = contextOf(headers, deadlineAtMs);
    return serveStreamed(handler, lane, JSON.parse(body), context, answer);
  }
  let text;
  try {
    const result = await call(handler, JSON.parse(body), contextOf(headers, deadlineAtMs));
    text = textOf(result);
  } catch (error) {
    const shown = JSON.stringify(errorOf(error));
    console.error('Invoke Error', shown);
    return answer('error', shown);
  }
  return answer('response', text);
}

/**
 * The answer goes out as it is written, until the handler has ended its stream.
 *
 * @param {Handler} handler
 * @param {Lane} lane
 * @param {unknown} event
 * @param {object} context
 * @param {(verb: string, text: string) => { coming: Promise<RuntimeAnswer> }} answer
 */
async function serveStreamed(handler, lane, event, context, answer) {
  const mode = { 'lambda-runtime-function-response-mode': 'streaming' };
  const stream = responseStream((contentType) => {
    lane.isStreaming = true;
    const path = `/invocation/${lane.requestId}/response`;
    return lane.runtime.open(path, { ...mode, 'content-type': contentType, trailer: trailers });
  });
  try {
    const ended = finished(stream);
    ended.catch(() => undefined);
    await /** @type {Function} */ (handler)(event, stream, context);
    await ended;
  } catch (error) {
    const problem = errorOf(error);
    const shown = JSON.stringify(problem);
    console.error('Invoke Error', shown);
    if (!stream.hasBegun) return answer('error', shown);
    stream.fail(problem.errorType, shown);
  }
  lane.isRunning = false;
  lane.isStreaming = false;
  return { coming: lane.runtime.get(next) };
}

/**
 * What nobody caught fails the invocation that runs, and ends the process as on AWS.
 *
 * @param {object} problem
 */
async function die(problem) {
  const shown = JSON.stringify(problem);
  console.error('Uncaught Exception', shown);
  // In the middle of a streamed answer nothing else can be said.
  const { runtime, requestId, isRunning, isStreaming } = current.getStore() ?? first;
  if (isRunning && !isStreaming) await runtime.post(`/invocation/${requestId}/error`, shown);
  process.exit(129);
}

/** A variable that the local cloud has set. @param {string} name */
function environment(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** @param {unknown} result */
function textOf(result) {
  try {
    return JSON.stringify(result === undefined ? null : result) ?? 'null';
  } catch {
    throw typed('Runtime.MarshalError', 'Unable to stringify response body');
  }
}

/**
 * Promise handlers, and up to Node 22 those that take a callback (three parameters).
 *
 * @param {Handler} handler
 * @param {unknown} event
 * @param {object} context
 */
function call(handler, event, context) {
  if (handler.length < 3) return handler(event, context);
  return new Promise((resolve, reject) => {
    /** @type {Done} */
    const done = (error, result) => (error ? reject(error) : resolve(result));
    const maybe = /** @type {Promise<unknown> | undefined} */ (handler(event, context, done));
    if (typeof maybe?.then === 'function') maybe.then(resolve, reject);
  });
}

/** @param {Headers} headers @param {number} deadlineAtMs */
function contextOf(headers, deadlineAtMs) {
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'] ?? '',
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    clientContext: parsed(headers['lambda-runtime-client-context']),
    getRemainingTimeInMillis: () => deadlineAtMs - Date.now(),
  };
}

/** @param {string | undefined} text */
function parsed(text) {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {string} name */
async function load(name) {
  const dot = name.lastIndexOf('.');
  const file = join(environment('LAMBDA_TASK_ROOT'), name.slice(0, dot));
  const path = ['.mjs', '.js', '.cjs'].map((ending) => file + ending).find(existsSync);
  if (path === undefined) {
    throw typed('Runtime.ImportModuleError', `Cannot find module '${name.slice(0, dot)}'`);
  }
  const module = await import(pathToFileURL(path).href);
  const member = name.slice(dot + 1);
  const handler = module[member] ?? module.default?.[member];
  if (typeof handler === 'function') return withoutCallback(handler);
  throw typed('Runtime.HandlerNotFound', `${name} is undefined or not exported`);
}

/**
 * "Callback-based function handlers are only supported up to Node.js 22."
 *
 * @param {Handler} handler
 */
function withoutCallback(handler) {
  const version = Number(/nodejs(\d+)/.exec(process.env.AWS_EXECUTION_ENV ?? '')?.[1] ?? 24);
  if (handler.length < 3 || version < 24 || streamsItsAnswer(handler)) return handler;
  throw typed(
    'Runtime.CallbackHandlerDeprecated',
    'ERROR: AWS Lambda has removed support for callback-based function handlers starting with ' +
      'Node.js 24. You need to modify this function to use a supported handler signature to use ' +
      'Node.js 24 or later. For more information see ' +
      'https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.',
  );
}

/** @param {string} name @param {string} message */
function typed(name, message) {
  return Object.assign(new Error(message), { name });
}

/** @param {unknown} error */
function errorOf(error) {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  const trace = (error.stack ?? '').split('\n');
  return { errorType: error.name, errorMessage: error.message, trace };
}

/**
 * As Lambda's own runtime writes console calls: with the time, the request and the level.
 *
 * @param {'trace' | 'debug' | 'info' | 'warn' | 'error' | 'log'} level
 */
function patch(level) {
  const name = level === 'log' ? 'INFO' : level.toUpperCase();
  console[level] = (/** @type {unknown[]} */ ...args) => {
    const timestamp = new Date().toISOString();
    const message = format(...args);
    const requestId = (current.getStore() ?? first).requestId;
    process.stdout.write(
      jsonLog
        ? `${JSON.stringify({ timestamp, level: name, requestId, message })}\n`
        : `${timestamp}\t${requestId || 'undefined'}\t${name}\t${message}\n`,
    );
  };
}
