/**
 * The control plane of AWS IoT as its SDK speaks it: things, certificates from signing requests,
 * what is attached to what, and the endpoint that devices connect to. Policies come from the
 * template and cannot be made here.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authority } from './authority.ts';
import { certificateOperations } from './control-certificates.ts';
import { answering, invalid, notFound, ServiceError } from './http-answer.ts';
import type { Journal } from './journal.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { thingNamePattern } from './limits.ts';
import type { Policy } from './policy.ts';
import type { Registry, Thing } from './registry.ts';
import { type Found, type Route, routesOf } from './routes.ts';

export type ControlDependencies = {
  readonly authority: Authority;
  readonly registry: Registry;
  readonly journal: Journal;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly documents: ReadonlyMap<string, unknown>;
  readonly region: string;
  readonly accountId: string;
  readonly endpoint: () => string;
  /** Called after every change of what is registered or attached. */
  readonly changed: () => void;
  /** Closes the connections of a certificate that may no longer be used. */
  readonly certificateDisabled: (certificateId: string) => Promise<void>;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
};

export type ControlCall = Found & {
  readonly body: JsonObject;
  readonly principal: string | undefined;
};
export type ControlOperation = (call: ControlCall) => Promise<JsonObject> | JsonObject;

export const controlRoutes: readonly Route[] = [
  { operation: 'DescribeEndpoint', method: 'GET', path: '/endpoint' },
  { operation: 'CreateThing', method: 'POST', path: '/things/{thing}' },
  { operation: 'DescribeThing', method: 'GET', path: '/things/{thing}' },
  { operation: 'UpdateThing', method: 'PATCH', path: '/things/{thing}' },
  { operation: 'DeleteThing', method: 'DELETE', path: '/things/{thing}' },
  { operation: 'ListThings', method: 'GET', path: '/things' },
  { operation: 'AttachThingPrincipal', method: 'PUT', path: '/things/{thing}/principals' },
  { operation: 'DetachThingPrincipal', method: 'DELETE', path: '/things/{thing}/principals' },
  { operation: 'ListThingPrincipals', method: 'GET', path: '/things/{thing}/principals' },
  { operation: 'ListPrincipalThings', method: 'GET', path: '/principals/things' },
  { operation: 'CreateCertificateFromCsr', method: 'POST', path: '/certificates' },
  { operation: 'ListCertificates', method: 'GET', path: '/certificates' },
  { operation: 'DescribeCertificate', method: 'GET', path: '/certificates/{certificate}' },
  { operation: 'UpdateCertificate', method: 'PUT', path: '/certificates/{certificate}' },
  { operation: 'DeleteCertificate', method: 'DELETE', path: '/certificates/{certificate}' },
  { operation: 'AttachPolicy', method: 'PUT', path: '/target-policies/{policy}' },
  { operation: 'DetachPolicy', method: 'POST', path: '/target-policies/{policy}' },
  { operation: 'ListAttachedPolicies', method: 'POST', path: '/attached-policies/{target+}' },
  { operation: 'ListTargetsForPolicy', method: 'POST', path: '/policy-targets/{policy}' },
  { operation: 'ListPolicies', method: 'GET', path: '/policies' },
  { operation: 'GetPolicy', method: 'GET', path: '/policies/{policy}' },
];

export function controlPlane(dependencies: ControlDependencies) {
  const routes = routesOf(controlRoutes);
  const operations: Record<string, ControlOperation> = {
    ...endpointOperations(dependencies),
    ...thingOperations(dependencies),
    ...certificateOperations(dependencies),
  };
  return (req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void> =>
    answering(res, dependencies.log, () => {
      const found = routes.find(req);
      const operation = found === undefined ? undefined : operations[found.operation];
      if (found === undefined || operation === undefined) {
        throw new ServiceError(
          404,
          'UnknownOperationException',
          'The operation is not known here.',
        );
      }
      return operation({ ...found, body: jsonBody(body), principal: principalOf(req) });
    });
}

function endpointOperations(dependencies: ControlDependencies): Record<string, ControlOperation> {
  return {
    DescribeEndpoint({ query }) {
      const type = query.get('endpointType') ?? 'iot:Data';
      if (!['iot:Data-ATS', 'iot:Data'].includes(type)) {
        throw invalid(`The endpoint type ${type} is not known here.`);
      }
      return { endpointAddress: dependencies.endpoint() };
    },
  };
}

function thingOperations(dependencies: ControlDependencies): Record<string, ControlOperation> {
  const { registry, journal } = dependencies;
  return {
    CreateThing: (call) => journal.write(() => createThing(dependencies, call)),
    DescribeThing(call) {
      const thing = existingThing(dependencies, call);
      return {
        ...identification(dependencies, thing),
        defaultClientId: thing.name,
        ...(thing.type === undefined ? {} : { thingTypeName: thing.type }),
        attributes: thing.attributes,
        version: thing.version,
      };
    },
    UpdateThing: (call) => journal.write(() => updateThing(dependencies, call)),
    DeleteThing: (call) => journal.write(() => deleteThing(dependencies, call)),
    ListThings({ query }) {
      const page = pageOf(query);
      const found = registry.listThings(page.after, page.size + 1);
      return {
        things: found.slice(0, page.size).map((thing) => ({
          thingName: thing.name,
          thingArn: thingArn(dependencies, thing.name),
          attributes: thing.attributes,
          version: thing.version,
        })),
        ...(found.length > page.size ? { nextToken: nextToken(found[page.size - 1]!.name) } : {}),
      };
    },
  };
}

function createThing(dependencies: ControlDependencies, { path, body }: ControlCall): JsonObject {
  const { registry, changed } = dependencies;
  const name = path['thing'] ?? '';
  if (!thingNamePattern.test(name)) throw invalid('The thing name is not valid.');
  const attributes = attributesOf(body);
  const type = typeof body['thingTypeName'] === 'string' ? body['thingTypeName'] : undefined;
  const before = registry.thing(name);
  if (before !== undefined) {
    // "If the thing already exists with the same configuration, the call succeeds."
    const same =
      before.type === type && JSON.stringify(before.attributes) === JSON.stringify(attributes);
    if (!same) throw exists(`Thing ${name} already exists in account with different attributes`);
    return identification(dependencies, before);
  }
  const typed = type === undefined ? {} : { type };
  const thing = { name, id: randomUUID(), ...typed, attributes, version: 1 };
  registry.putThing(thing);
  changed();
  return identification(dependencies, thing);
}

function updateThing(dependencies: ControlDependencies, call: ControlCall): JsonObject {
  const thing = existingThing(dependencies, call);
  expectVersion(thing, call.body['expectedVersion']);
  const payload = call.body['attributePayload'];
  const merge = isObject(payload) && payload['merge'] === true;
  const wanted = attributesOf(call.body);
  const attributes = Object.fromEntries(
    // "an attribute with an empty value is removed"
    Object.entries(merge ? { ...thing.attributes, ...wanted } : wanted).filter(
      ([, value]) => value !== '',
    ),
  );
  dependencies.registry.putThing({ ...thing, attributes, version: thing.version + 1 });
  dependencies.changed();
  return {};
}

function deleteThing(dependencies: ControlDependencies, { path, query }: ControlCall): JsonObject {
  const { registry, changed } = dependencies;
  const name = path['thing'] ?? '';
  const thing = registry.thing(name);
  // "Returns successfully with no error if … you specify a thing that doesn't exist."
  if (thing === undefined) return {};
  expectVersion(thing, query.get('expectedVersion'));
  if (registry.principalsOf(name).length > 0) {
    throw invalid(`Cannot delete. Thing ${name} is still attached to one or more principals`);
  }
  registry.deleteThing(name);
  changed();
  return {};
}

function existingThing({ registry }: ControlDependencies, { path }: ControlCall): Thing {
  const name = path['thing'] ?? '';
  const thing = registry.thing(name);
  if (thing === undefined) throw notFound(`Thing ${name} cannot be found.`);
  return thing;
}

const thingArn = ({ region, accountId }: ControlDependencies, name: string): string =>
  `arn:aws:iot:${region}:${accountId}:thing/${name}`;

const identification = (dependencies: ControlDependencies, thing: Thing): JsonObject => ({
  thingName: thing.name,
  thingArn: thingArn(dependencies, thing.name),
  thingId: thing.id,
});

export const exists = (message: string): ServiceError =>
  new ServiceError(409, 'ResourceAlreadyExistsException', message);

export function pageOf(query: URLSearchParams): { after: string; size: number } {
  const size = Number(query.get('maxResults') ?? query.get('pageSize') ?? 25);
  if (!Number.isInteger(size) || size < 1 || size > 250)
    throw invalid('The page size is 1 to 250.');
  const token = query.get('nextToken') ?? query.get('marker') ?? '';
  return { after: Buffer.from(token, 'base64url').toString(), size };
}

export const nextToken = (last: string): string => Buffer.from(last).toString('base64url');

function attributesOf(body: JsonObject): Record<string, string> {
  const payload = body['attributePayload'];
  const attributes = isObject(payload) ? payload['attributes'] : undefined;
  if (!isObject(attributes)) return {};
  return Object.fromEntries(
    Object.entries(attributes)
      .map(([name, value]) => [name, String(value)] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

function expectVersion(thing: Thing, expected: Json | undefined): void {
  if (expected === undefined || expected === null) return;
  if (Number(expected) !== thing.version) {
    throw new ServiceError(
      409,
      'VersionConflictException',
      `The version of ${thing.name} differs.`,
    );
  }
}

function jsonBody(body: Buffer): JsonObject {
  if (body.length === 0) return {};
  try {
    const parsed = JSON.parse(body.toString()) as Json;
    return isObject(parsed) ? parsed : {};
  } catch {
    throw invalid('The body of the request is not JSON.');
  }
}

function principalOf(req: IncomingMessage): string | undefined {
  const header = req.headers['x-amzn-principal'] ?? req.headers['x-amzn-iot-principal'];
  return Array.isArray(header) ? header[0] : header;
}
