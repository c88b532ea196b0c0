/**
 * What the broker knows of one connection: who it is, what its policies say, and why it ended.
 * Decisions are remembered until a change of the registry makes them old.
 */

import type { Registry, Thing } from '../control-plane/registry.ts';
import { decisionsPerConnectionMax } from '../limits.ts';
import type { Variables } from '../policy/pattern.ts';
import { evaluate, type Policy, type PolicyAction } from '../policy/policy.ts';
import type { Signer } from './peer.ts';

export type DisconnectReason =
  | 'AUTH_ERROR'
  | 'CLIENT_INITIATED_DISCONNECT'
  | 'CLIENT_ERROR'
  | 'CONNECTION_LOST'
  | 'DUPLICATE_CLIENTID'
  | 'MQTT_KEEP_ALIVE_TIMEOUT'
  | 'SERVER_INITIATED_DISCONNECT'
  | 'SERVER_ERROR'
  | 'API_INITIATED_DISCONNECT';

export type Identity = {
  /** Empty for a request, which is made without one. */
  readonly clientId: string;
  /** Of its certificate, or of who signed. */
  readonly principal: string;
  /** Present where there is no certificate: IAM decides, and nothing that is attached to one. */
  readonly signer?: Signer;
  readonly commonName: string;
  readonly ipAddress: string;
  readonly persistent: boolean;
  /** The name that the client asked the server for in TLS. */
  readonly domainName?: string;
  readonly willTopic?: string;
};

export type Authorizer = {
  /** The policies of the connection about one action and topic, filter or client id. */
  allows(action: PolicyAction, name: string): boolean;
  /** Present when the certificate is attached to one thing exclusively. */
  readonly exclusiveThing?: string;
  /** The thing that the connection speaks for. */
  readonly thing?: string;
};

export type AuthorizerSource = {
  readonly registry: Registry;
  readonly policies: ReadonlyMap<string, { readonly policy: Policy }>;
  readonly region: string;
  readonly accountId: string;
  /** Grows with every change of what is registered or attached. */
  readonly generation: () => number;
  /** Called once for each action and resource that a connection was refused. */
  readonly denied?: (clientId: string, action: PolicyAction, resource: string) => void;
};

const resourceKinds: Readonly<Record<PolicyAction, string>> = {
  'iot:Connect': 'client',
  'iot:Publish': 'topic',
  'iot:RetainPublish': 'topic',
  'iot:Subscribe': 'topicfilter',
  'iot:Receive': 'topic',
  'iot:GetThingShadow': 'thing',
  'iot:UpdateThingShadow': 'thing',
  'iot:DeleteThingShadow': 'thing',
};

/** `fixed`: policies that do not come from the registry, for the operator. */
export function authorizer(
  source: AuthorizerSource,
  identity: Identity,
  fixed?: readonly Policy[],
): Authorizer {
  const { registry } = source;
  const exclusive = registry
    .thingsOf(identity.principal)
    .find((attachment) => attachment.type === 'EXCLUSIVE_THING')?.name;
  let seen = -1;
  let policies: readonly Policy[] = [];
  let variables: Variables = noVariables;
  const remembered = new Map<string, boolean>();

  const refresh = () => {
    if (seen === source.generation()) return;
    seen = source.generation();
    remembered.clear();
    variables = variablesOf(identity, attachedThing(registry, identity, exclusive));
    policies = fixed ?? policiesOf(source, identity.principal);
  };

  return {
    allows(action, name) {
      refresh();
      const key = `${action} ${name}`;
      const before = remembered.get(key);
      if (before !== undefined) return before;
      const kind = resourceKinds[action];
      const resource = `arn:aws:iot:${source.region}:${source.accountId}:${kind}/${name}`;
      const allowed =
        identity.signer?.allows(action, resource) ??
        evaluate(policies, action, resource, variables) === 'allowed';
      if (remembered.size >= decisionsPerConnectionMax) remembered.clear();
      remembered.set(key, allowed);
      // IAM keeps its own record of refusals.
      if (!allowed && identity.signer === undefined) {
        source.denied?.(identity.clientId, action, resource);
      }
      return allowed;
    },
    ...(exclusive === undefined ? {} : { exclusiveThing: exclusive }),
    ...thingNameOf(attachedThing(registry, identity, exclusive)),
  };
}

const thingNameOf = (thing: Thing | undefined) =>
  thing === undefined ? {} : { thing: thing.name };

function policiesOf(source: AuthorizerSource, certificateId: string): Policy[] {
  // "An inactive certificate can't be used": its policies count for nothing from that moment on.
  if (source.registry.certificate(certificateId)?.status !== 'ACTIVE') return [];
  return source.registry
    .policiesOf(certificateId)
    .map((name) => source.policies.get(name)?.policy)
    .filter((policy) => policy !== undefined);
}

/** "the value of clientId in the MQTT connect message must exactly match the thing name" */
function attachedThing(
  registry: Registry,
  identity: Identity,
  exclusive: string | undefined,
): Thing | undefined {
  const name = exclusive ?? identity.clientId;
  const attached = registry.thingsOf(identity.principal).some((to) => to.name === name);
  return attached ? registry.thing(name) : undefined;
}

const noVariables: Variables = { get: () => undefined, all: () => [] };

function variablesOf(identity: Identity, thing: Thing | undefined): Variables {
  const values = new Map<string, string>([
    ['iot:certificate.subject.commonname', identity.commonName],
    ['aws:sourceip', identity.ipAddress],
    ['iot:connection.thing.isattached', String(thing !== undefined)],
  ]);
  if (identity.clientId !== '') values.set('iot:clientid', identity.clientId);
  if (identity.domainName !== undefined) values.set('iot:domainname', identity.domainName);
  if (thing !== undefined) {
    values.set('iot:connection.thing.thingname', thing.name);
    if (thing.type !== undefined) values.set('iot:connection.thing.thingtypename', thing.type);
    for (const [name, value] of Object.entries(thing.attributes)) {
      values.set(`iot:connection.thing.attributes[${name.toLowerCase()}]`, String(value));
    }
  }
  const attributes = [
    ...(identity.persistent ? ['PersistentConnect'] : []),
    ...(identity.willTopic === undefined ? [] : ['LastWill']),
  ];
  return {
    get: (name) => values.get(name),
    all(name) {
      if (name === 'iot:connectattributes') return attributes;
      if (name === 'iot:lastwilltopic') {
        return identity.willTopic === undefined ? [] : [identity.willTopic];
      }
      const value = values.get(name);
      return value === undefined ? [] : [value];
    },
  };
}
