import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../edge-agent/host/clock.ts';
import type { Identity } from '../../../edge-agent/link/identity.ts';
import type { Link } from '../../../edge-agent/link/link.ts';
import { makeMqttLink } from '../../../edge-agent/link/mqtt-link.ts';
import { makePrivateKey, makeSigningRequest } from '../../../edge-agent/link/signing-request.ts';
import { type ShadowDouble, startShadowDouble } from '../shadow-double.ts';

const edge = 'edge-1';

let shadows: ShadowDouble;
let link: Link | null;
/** What was published, before it is acknowledged; `false` hangs up instead. */
let mayPublish: (text: string) => boolean;

beforeEach(async () => {
  link = null;
  mayPublish = () => true;
  shadows = await startShadowDouble({
    reported() {},
    admits: () => true,
    mayPublish: (_edge, text) => mayPublish(text),
  });
});

afterEach(async () => {
  await link?.stop();
  await shadows.stop();
});

async function makeIdentity(): Promise<Identity> {
  const keyPem = makePrivateKey();
  return {
    ...{ edge, thing: edge, token: 't', secret: 's', pool: null, keyPem },
    mqttEndpoint: shadows.endpoint,
    certificate: await shadows.sign(makeSigningRequest(keyPem, edge)),
    caCertificate: shadows.caCertificate,
  };
}

/** Connected; its first report makes the shadow small again before it says anything. */
async function connect(): Promise<Link> {
  const identity = await makeIdentity();
  const connected = Promise.withResolvers<void>();
  link = makeMqttLink({
    identity: () => identity,
    clock: systemClock,
    events: {
      work() {},
      connected: () => connected.resolve(),
      disconnected() {},
      revoked() {},
    },
    turn: (run) => run(),
    clearFirst: true,
    isRevoked: () => Promise.resolve(false),
  });
  link.start();
  await connected.promise;
  return link;
}

const report = { b: 'boot', e: 1, n: 1, f: 100, w: {} };

test('a report whose connection is lost while the shadow is made small again is unanswered', async () => {
  const connection = await connect();
  mayPublish = () => false;
  await expect(connection.report(report)).resolves.toBe('unanswered');
});

test('the first report makes the shadow small again, and is accepted', async () => {
  const connection = await connect();
  await expect(connection.report(report)).resolves.toBe('accepted');
  const states = shadows.updates.map((text) => JSON.parse(text).state.reported);
  expect(states).toEqual([{ w: null }, expect.objectContaining({ b: 'boot', n: 1 })]);
});
