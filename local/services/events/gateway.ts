/**
 * EventBridge: PutEvents, TestEventPattern, and what buses and rules there are
 * (https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html).
 */
import { randomUUID } from 'node:crypto';
import { type Account, accountId, arnOf } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import { sendJson, sendJsonError } from '../../engine/gateway/answer.ts';
import type { GatewayService, Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import { StartFailure } from '../../failure.ts';
import type { RoleBook } from '../iam/roles.ts';
import { compileFilter } from '../lambda/event-sources/filter/pattern.ts';
import { parseExactly } from '../lambda/event-sources/filter/written-number.ts';
import { type BusEvent, defaultBus, type EventRule } from './bus.ts';

export type EventsOptions = {
  readonly account: Account;
  readonly roles: Pick<RoleBook, 'callerOf' | 'refusal'>;
  readonly buses: ReadonlyMap<string, string>;
  readonly rules: readonly EventRule[];
  nowMs(): number;
  accept(bus: string, event: BusEvent): void;
};

const offer: Offer = {
  operations: ['PutEvents', 'TestEventPattern', 'ListEventBuses', 'ListRules'],
  instead: 'Buses and rules come from the template.',
};

/** "Up to 10 entries"; "the total entry size must be less than 256 KB". */
const entriesMax = 10;
const entryBytesMax = 256 * 1024;

export function eventsService(options: EventsOptions): GatewayService {
  const { account, roles } = options;
  const busArn = (name: string): string =>
    options.buses.get(name) ?? arnOf(account, 'events', `event-bus/${name}`);
  return {
    ...offer,
    targets: ['AWSEvents'],
    handle: (request, res) => {
      const name = request.target.slice(request.target.indexOf('.') + 1);
      const input = objectIn(request.body.toString() || '{}');
      if (input === undefined) {
        return sendJsonError(res, 400, 'SerializationException', 'The body is not JSON.', '1.1');
      }
      const operation = operations.get(name);
      if (operation === undefined) return refuseOperation(request, res, offer, name);
      const entries = Array.isArray(input.Entries) ? input.Entries : [];
      const names = new Set(entries.map((entry) => busOf(entry)));
      const resources = name === 'PutEvents' ? [...names].map(busArn) : ['*'];
      const access = resources.map((resource) => ({ action: `events:${name}`, resource }));
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), access);
      if (sentence !== undefined) {
        return sendJsonError(res, 400, 'AccessDeniedException', sentence, '1.1');
      }
      const answer = operation(input, options);
      if ('problem' in answer) return sendJsonError(res, 400, answer.type, answer.problem, '1.1');
      sendJson(res, 200, answer.body, '1.1');
    },
  };
}

type OperationAnswer = { body: JsonObject } | { type: string; problem: string };
type Operation = (input: JsonObject, options: EventsOptions) => OperationAnswer;

const operations = new Map<string, Operation>([
  ['PutEvents', putEvents],
  [
    'TestEventPattern',
    (input) => {
      try {
        const matches = compileFilter(String(input.EventPattern), 'EventPattern');
        return { body: { Result: matches(parseExactly(String(input.Event))) } };
      } catch (error) {
        if (!(error instanceof StartFailure) && !(error instanceof SyntaxError)) throw error;
        const problem = `Event pattern is not valid. Reason: ${error.message}`;
        return { type: 'InvalidEventPatternException', problem };
      }
    },
  ],
  [
    'ListEventBuses',
    (_, { account, buses }) => {
      const all = new Map([[defaultBus, arnOf(account, 'events', 'event-bus/default')], ...buses]);
      return { body: { EventBuses: [...all].map(([Name, Arn]) => ({ Name, Arn })) } };
    },
  ],
  [
    'ListRules',
    (input, { rules }) => {
      const bus = busOf({ EventBusName: input.EventBusName ?? null });
      const found = rules.filter((rule) => rule.bus === bus);
      const Rules = found.map(({ name, arn, isEnabled }) => {
        const State = isEnabled ? 'ENABLED' : 'DISABLED';
        return { Name: name, Arn: arn, State, EventBusName: bus };
      });
      return { body: { Rules } };
    },
  ],
]);

function putEvents({ Entries }: JsonObject, options: EventsOptions): OperationAnswer {
  const entries = Array.isArray(Entries) ? Entries : [];
  const size = entries.reduce<number>((sum, entry) => sum + JSON.stringify(entry).length, 0);
  if (entries.length === 0 || entries.length > entriesMax || size > entryBytesMax) {
    const problem =
      size > entryBytesMax
        ? 'Total size of the entries in the request is over the limit.'
        : "1 validation error detected: Value at 'entries' failed to satisfy constraint: " +
          `Member must have length between 1 and ${entriesMax}`;
    return { type: 'ValidationException', problem };
  }
  const results = entries.map((entry): JsonObject => {
    const made = eventOf(entry, options);
    if ('code' in made) return { ErrorCode: made.code, ErrorMessage: made.message };
    options.accept(busOf(entry), made);
    return { EventId: made.id };
  });
  const FailedEntryCount = results.filter((result) => result.ErrorCode !== undefined).length;
  return { body: { FailedEntryCount, Entries: results } };
}

type Refused = { readonly code: string; readonly message: string };

function eventOf(entry: Json, options: EventsOptions): BusEvent | Refused {
  const given = isObject(entry) ? entry : {};
  for (const name of ['Source', 'DetailType', 'Detail']) {
    if (typeof given[name] === 'string' && given[name] !== '') continue;
    const reason = `${name} is a required argument.`;
    return {
      code: 'InvalidArgument',
      message: `Parameter ${name} is not valid. Reason: ${reason}`,
    };
  }
  const detail = objectIn(String(given.Detail));
  if (detail === undefined) return { code: 'MalformedDetail', message: 'Detail is malformed.' };
  if (/^aws\./i.test(String(given.Source))) {
    const code = 'NotAuthorizedForSourceException';
    return { code, message: 'Not authorized for the source.' };
  }
  const bus = busOf(entry);
  if (bus !== defaultBus && !options.buses.has(bus)) {
    return { code: 'ResourceNotFoundException', message: `Event bus ${bus} does not exist.` };
  }
  const seconds = typeof given.Time === 'number' ? given.Time : options.nowMs() / 1_000;
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': String(given.DetailType),
    source: String(given.Source),
    account: accountId,
    time: new Date(Math.floor(seconds) * 1_000).toISOString().replace('.000Z', 'Z'),
    region: options.account.region,
    resources: Array.isArray(given.Resources) ? given.Resources : [],
    detail,
  };
}

/** By its name or its ARN. */
function busOf(entry: Json): string {
  const given = isObject(entry) ? entry.EventBusName : null;
  return typeof given === 'string' ? given.slice(given.lastIndexOf('/') + 1) : defaultBus;
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
