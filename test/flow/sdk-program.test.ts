import { readFileSync } from 'node:fs';
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
  CreateThingCommand,
  DescribeEndpointCommand,
  IoTClient,
  ListPoliciesCommand,
} from '@aws-sdk/client-iot';
import {
  GetThingShadowCommand,
  IoTDataPlaneClient,
  UpdateThingShadowCommand,
} from '@aws-sdk/client-iot-data-plane';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePrivateKey, makeSigningRequest } from '../../edge-agent/link/signing-request.ts';
import { makeProduct, type Product } from './product.ts';

/**
 * Programs that know nothing of this repository: AWS's own clients through the gateway, and a plain
 * MQTT client with the certificate that they got for it.
 */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
});
afterAll(() => product.remove());

type Whole = {
  aws: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  mqtt: { host: string; port: number; ca: string };
};

test('things, certificates and shadows, over HTTPS and over MQTT', async () => {
  const whole = JSON.parse(readFileSync(product.place.endpoints()!.path, 'utf8')) as Whole;
  const { aws: endpoint, region, credentials } = whole;
  const settings = { endpoint, region, credentials };
  const caller = await new STSClient(settings).send(new GetCallerIdentityCommand({}));
  expect(caller.Account).toMatch(/^\d{12}$/);

  const things = new IoTClient(settings);
  const { endpointAddress } = await things.send(
    new DescribeEndpointCommand({ endpointType: 'iot:Data-ATS' }),
  );
  expect(endpointAddress).toBe(`${whole.mqtt.host}:${whole.mqtt.port}`);
  const thingName = 'meter-1';
  await things.send(new CreateThingCommand({ thingName }));
  const key = makePrivateKey();
  const certificateSigningRequest = makeSigningRequest(key, thingName);
  const { certificateArn, certificatePem } = await things.send(
    new CreateCertificateFromCsrCommand({ certificateSigningRequest, setAsActive: true }),
  );
  const principal = certificateArn!;
  await things.send(new AttachThingPrincipalCommand({ thingName, principal }));
  const { policies } = await things.send(new ListPoliciesCommand({}));
  expect(policies).toHaveLength(1);
  const policyName = policies![0]!.policyName!;
  await things.send(new AttachPolicyCommand({ policyName, target: principal }));

  const client = await mqtt.connectAsync({
    protocol: 'mqtts',
    host: whole.mqtt.host,
    port: whole.mqtt.port,
    ca: readFileSync(whole.mqtt.ca),
    cert: certificatePem!,
    key,
    clientId: thingName,
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  try {
    const shadow = `$aws/things/${thingName}/shadow/name/work`;
    const granted = await client.subscribeAsync(`${shadow}/update/delta`, { qos: 0 });
    expect(granted.map(({ qos }) => qos)).toEqual([0]);
    const delta = new Promise<{ version: number; state: unknown }>((resolve) => {
      client.once('message', (_topic, payload) => resolve(JSON.parse(String(payload))));
    });
    const shadows = new IoTDataPlaneClient(settings);
    const state = { desired: { e: 1, w: { job: { r: '0-3' } } } };
    const payload = Buffer.from(JSON.stringify({ state }));
    await shadows.send(new UpdateThingShadowCommand({ thingName, shadowName: 'work', payload }));
    expect(await delta).toMatchObject({ version: 1, state: state.desired });

    const accepted = client.subscribeAsync('$aws/things/meter-1/shadow/name/prog/update/accepted');
    await accepted;
    const answered = new Promise((resolve) => client.once('message', resolve));
    const report = JSON.stringify({ state: { reported: { e: 1, f: 250 } } });
    await client.publishAsync('$aws/things/meter-1/shadow/name/prog/update', report, { qos: 1 });
    await answered;
    const read = await shadows.send(new GetThingShadowCommand({ thingName, shadowName: 'prog' }));
    expect(JSON.parse(Buffer.from(read.payload!).toString())).toMatchObject({
      state: { reported: { e: 1, f: 250 } },
      version: 1,
    });
    await expect(
      shadows.send(new GetThingShadowCommand({ thingName, shadowName: 'none' })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  } finally {
    await client.endAsync();
  }
});
