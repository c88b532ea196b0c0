/**
 * The IoT data plane over HTTP: shadows, Publish, retained messages and connections. Who may call
 * is decided before; here every caller may.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Found, type Route, routesOf } from '../../../engine/gateway/routes.ts';
import type { Broker } from '../broker/broker.ts';
import type { RetainedStore } from '../broker/retained.ts';
import { topicProblem } from '../broker/traffic.ts';
import type { Exchange } from '../exchange.ts';
import { answering, invalid, notFound, ServiceError } from '../http/http-answer.ts';
import type { JsonObject } from '../json.ts';
import {
  payloadBytesMax,
  shadowNamePattern,
  shadowPageDefault,
  shadowPageMax,
  thingNamePattern,
} from '../limits.ts';
import type { Presence } from '../presence/presence.ts';
import type { PersistentSessions } from '../sessions/persistent-sessions.ts';
import type { ShadowStore } from '../shadow/store.ts';
import { connectionOperations } from './connections.ts';

type Dependencies = {
  readonly exchange: Exchange;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly sessions: PersistentSessions;
  readonly sessionExpirySeconds: number;
  readonly shadows: ShadowStore;
  readonly retained: RetainedStore;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
};

type Operation = (found: Found, body: Buffer) => Promise<JsonObject> | JsonObject;

/** Longer paths first: a topic or client id is one encoded segment. */
export const dataRoutes: readonly Route[] = [
  { operation: 'GetThingShadow', method: 'GET', path: '/things/{thing}/shadow' },
  { operation: 'UpdateThingShadow', method: 'POST', path: '/things/{thing}/shadow' },
  { operation: 'DeleteThingShadow', method: 'DELETE', path: '/things/{thing}/shadow' },
  {
    operation: 'ListNamedShadowsForThing',
    method: 'GET',
    path: '/api/things/shadow/ListNamedShadowsForThing/{thing}',
  },
  { operation: 'Publish', method: 'POST', path: '/topics/{topic+}' },
  { operation: 'ListRetainedMessages', method: 'GET', path: '/retainedMessage' },
  { operation: 'GetRetainedMessage', method: 'GET', path: '/retainedMessage/{topic+}' },
  { operation: 'ListSubscriptions', method: 'GET', path: '/connections/{client}/subscriptions' },
  { operation: 'GetConnection', method: 'GET', path: '/connections/{client}' },
  { operation: 'DeleteConnection', method: 'DELETE', path: '/connections/{client}' },
];

export function dataPlane(dependencies: Dependencies) {
  const routes = routesOf(dataRoutes);
  const operations: Record<string, Operation> = {
    ...shadowOperations(dependencies),
    ...messageOperations(dependencies),
    ...connectionOperations(dependencies),
  };
  return (req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void> =>
    answering(res, dependencies.log, () => {
      const found = routes.find(req);
      const operation = found === undefined ? undefined : operations[found.operation];
      if (found === undefined || operation === undefined) {
        throw unknownOperation(routes.knowsPath(req));
      }
      return operation(found, body);
    });
}

/** "The specified combination of HTTP verb and URI is not supported." */
const unknownOperation = (pathIsKnown: boolean): ServiceError =>
  pathIsKnown
    ? new ServiceError(
        405,
        'MethodNotAllowedException',
        'The specified combination of HTTP verb and URI is not supported.',
      )
    : new ServiceError(404, 'UnknownOperationException', 'The operation is not known here.');

const exceptionOf: Readonly<Record<number, string>> = {
  400: 'InvalidRequestException',
  403: 'ForbiddenException',
  404: 'ResourceNotFoundException',
  409: 'ConflictException',
  413: 'RequestEntityTooLargeException',
  415: 'UnsupportedDocumentEncodingException',
  429: 'ThrottlingException',
};

function shadowOperations({ exchange, shadows, nowMs }: Dependencies): Record<string, Operation> {
  const shadow =
    (operation: 'get' | 'update' | 'delete'): Operation =>
    async ({ path, query }, body) => {
      const name = query.get('name') ?? undefined;
      const response = await exchange.request({
        operation,
        thing: thingOf(path),
        ...(name === undefined ? {} : { name: shadowNameOf(name) }),
        payload: operation === 'get' ? new Uint8Array() : body,
        source: 'http',
      });
      if (response.code === 200) return response.body;
      throw new ServiceError(
        response.code,
        exceptionOf[response.code] ?? 'InternalFailureException',
        String(response.body['message']),
        response.body,
      );
    };
  return {
    GetThingShadow: shadow('get'),
    UpdateThingShadow: shadow('update'),
    DeleteThingShadow: shadow('delete'),
    // "The response is an empty list if you only have a classic shadow or if the thingName you
    // specify doesn't exist."
    ListNamedShadowsForThing({ path, query }) {
      const size = pageSize(query.get('pageSize'));
      const names = shadows.names(thingOf(path), tokenIn(query.get('nextToken')), size + 1);
      const results = names.slice(0, size);
      return {
        results,
        ...(names.length > size ? { nextToken: tokenOut(results.at(-1)!) } : {}),
        timestamp: Math.floor(nowMs() / 1000),
      };
    },
  };
}

function messageOperations({ exchange, retained }: Dependencies): Record<string, Operation> {
  return {
    async Publish({ path, query }, body) {
      const topic = path['topic'] ?? '';
      const problem = topicProblem(topic);
      if (problem !== undefined) throw invalid(`${problem}.`);
      if (topic === '' || /[#+]/.test(topic)) throw invalid('The topic is not valid.');
      if (body.length > payloadBytesMax) {
        throw new ServiceError(
          413,
          'RequestEntityTooLargeException',
          'The payload exceeds the maximum size allowed',
        );
      }
      const retain = query.get('retain') === 'true';
      // "You can't publish to a reserved topic with the RETAIN flag set."
      if (retain && topic.startsWith('$')) throw invalid('A reserved topic takes no RETAIN flag.');
      const qos = query.get('qos') === '1' ? 1 : 0;
      await exchange.announce({ topic, payload: body, qos, retain });
      return { message: 'OK', traceId: randomUUID() };
    },
    GetRetainedMessage({ path }) {
      const message = retained.read(path['topic'] ?? '');
      if (message === undefined) throw notFound('No retained message exists on this topic.');
      return {
        topic: message.topic,
        payload: Buffer.from(message.payload).toString('base64'),
        qos: message.qos,
        lastModifiedTime: message.modifiedAtMs,
      };
    },
    ListRetainedMessages({ query }) {
      const size = Math.min(Number(query.get('maxResults') ?? 200) || 200, 200);
      const page = retained.list(tokenIn(query.get('nextToken')), size + 1);
      return {
        retainedTopics: page.slice(0, size).map(({ topic, payload, qos, modifiedAtMs }) => ({
          topic,
          payloadSize: payload.length,
          qos,
          lastModifiedTime: modifiedAtMs,
        })),
        ...(page.length > size ? { nextToken: tokenOut(page[size - 1]!.topic) } : {}),
      };
    },
  };
}

function thingOf(path: Readonly<Record<string, string>>): string {
  const thing = path['thing'] ?? '';
  if (!thingNamePattern.test(thing)) throw invalid('The thing name is not valid.');
  return thing;
}

function shadowNameOf(name: string): string {
  if (!shadowNamePattern.test(name)) throw invalid('The shadow name is not valid.');
  return name;
}

function pageSize(text: string | null): number {
  if (text === null) return shadowPageDefault;
  const size = Number(text);
  if (!Number.isInteger(size) || size < 1 || size > shadowPageMax) {
    throw invalid(`The page size is 1 to ${shadowPageMax}.`);
  }
  return size;
}

const tokenOut = (last: string): string => Buffer.from(last).toString('base64url');
const tokenIn = (token: string | null): string =>
  token === null ? '' : Buffer.from(token, 'base64url').toString();
