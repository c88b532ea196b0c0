import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeControlPlaneApi } from '../../../edge-agent/link/control-plane-api.ts';
import { makePrivateKey, makeSigningRequest } from '../../../edge-agent/link/signing-request.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, until } from '../start/stage.ts';

/** What the agent and the control plane have to agree on, on the whole product on one machine. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
});
afterAll(() => product.remove());

test('a policy about users judges who submitted, and another policy lets the next job in', async () => {
  const file = join(product.place.directory, 'policy.json');
  const allow = (users: string[]): void => {
    writeFileSync(`${file}.new`, JSON.stringify({ allow: { users } }));
    renameSync(`${file}.new`, file);
  };
  allow(['token:somebody-else']);
  const agent = product.startAgent('picky', '--policy', file);
  await product.untilConnected(1);
  const requires = { edges: ['picky'] };
  const refused = await product.submit({ power: 10, chunks: 1, requires });
  expect(refused.createdBy).toBe('token:admin');
  await until('the edge refuses', () =>
    agent.text().includes('not allowed here: user token:admin'),
  );
  const reasons = await until('the control plane knows of it', async () => {
    const { status } = await product.job(refused.id);
    const { waiting = [] } = status;
    return JSON.stringify(waiting).includes('refused') ? waiting : null;
  });
  expect(JSON.stringify(reasons)).toContain('picky');
  allow(['token:*']);
  await until('the policy is read again', () => agent.text().includes('changed and is in force'));
  const taken = await product.submit({ power: 10, chunks: 1, requires });
  await product.done(taken.id);
});

type Enrolment = {
  certificate: string;
  caCertificate: string;
  mqttEndpoint: string;
  secret: string;
};

test('an edge renews its certificate; the one before is good until the renewal after', async () => {
  const name = 'renewing';
  const api = makeControlPlaneApi(product.place.endpoints()!.api);
  const key = makePrivateKey();
  const enrol = async (credential: string, keyPem: string): Promise<Enrolment> => {
    const csr = makeSigningRequest(keyPem, name);
    const body = { name, capacity: { power: 1 }, csr };
    return (await api.createEdge(credential, body)) as Enrolment;
  };
  const first = await enrol(product.place.endpoints()!.token!, key);
  const second = await enrol(first.secret, key);
  expect(second.certificate).not.toBe(first.certificate);
  expect(await connects(name, first, key)).toBe(true);
  expect(await connects(name, second, key)).toBe(true);
  const again = await enrol(first.secret, key);
  expect(again.certificate).toBe(second.certificate);

  const newKey = makePrivateKey();
  const third = await enrol(again.secret, newKey);
  expect(await connects(name, first, key)).toBe(false);
  expect(await connects(name, second, key)).toBe(true);
  expect(await connects(name, third, newKey)).toBe(true);

  await askApi(product.place, `/v1/edges/${name}?force=true`, { method: 'DELETE' });
  expect(await connects(name, second, key)).toBe(false);
  expect(await connects(name, third, newKey)).toBe(false);
  await expect(api.getWork(third.secret, name)).rejects.toMatchObject({ status: 401 });
});

async function connects(edge: string, enrolled: Enrolment, key: string): Promise<boolean> {
  const { certificate: cert, caCertificate: ca, mqttEndpoint } = enrolled;
  const options = { clientId: edge, key, cert, ca, reconnectPeriod: 0 };
  try {
    const client = await mqtt.connectAsync(`mqtts://${mqttEndpoint}`, options, false);
    await client.endAsync(true);
    return true;
  } catch {
    return false;
  }
}
