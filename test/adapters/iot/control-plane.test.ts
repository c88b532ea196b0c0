import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
  CreateThingCommand,
  DeleteCertificateCommand,
  DeleteConflictException,
  DeleteThingCommand,
  DescribeEndpointCommand,
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  InvalidRequestException,
  IoTClient,
  ResourceAlreadyExistsException,
  ResourceNotFoundException,
  ThrottlingException,
  UnauthorizedException,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import {
  DeleteThingShadowCommand,
  IoTDataPlaneClient,
  ResourceNotFoundException as NoShadow,
} from '@aws-sdk/client-iot-data-plane';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { createControlPlane } from '../../../adapters/iot/control-plane.ts';
import { makeThings } from '../../../adapters/iot/things.ts';
import { edgeNameOf } from '../../../core/model/names.ts';

const edge = edgeNameOf('edge-1');
const certificateArn = 'arn:aws:iot:eu-west-1:1:cert/c1';
const made = { certificateArn, certificateId: 'c1', certificatePem: 'PEM' };

const said = { message: 'no', $metadata: {} };
const throttled = new ThrottlingException(said);
const denied = new UnauthorizedException(said);
const unknown = new ResourceNotFoundException(said);

const region = 'eu-west-1';

type Options = Partial<Parameters<typeof createControlPlane>[0]>;

function stage(options: Options = {}) {
  const clients = { iot: new IoTClient({ region }), data: new IoTDataPlaneClient({ region }) };
  const iot = mockClient(clients.iot);
  const data = mockClient(clients.data);
  const asked: string[] = [];
  const controlPlane = createControlPlane(
    {
      policyName: 'edge',
      certificatesArn: 'arn:aws:iot:eu-west-1:1:cert/',
      things: makeThings(''),
      environment: {},
      ...options,
    },
    {
      iot: clients.iot,
      dataAt(endpoint) {
        asked.push(endpoint);
        return clients.data;
      },
    },
  );
  iot.on(CreateThingCommand).resolves({});
  iot.on(CreateCertificateFromCsrCommand).resolves(made);
  iot.on(DescribeEndpointCommand).resolves({ endpointAddress: 'data.example' });
  for (const command of [AttachThingPrincipalCommand, AttachPolicyCommand]) {
    iot.on(command as typeof AttachPolicyCommand).resolves({});
  }
  for (const command of removing) iot.on(command as typeof DeleteThingCommand).resolves({});
  data.on(DeleteThingShadowCommand).resolves({});
  /** Names of the operations that were sent, in order. */
  const steps = () => iot.calls().map(({ args: [command] }) => command.constructor.name);
  return { iot, data, controlPlane, asked, steps };
}

const removing = [
  UpdateCertificateCommand,
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  DeleteCertificateCommand,
  DeleteThingCommand,
];
const discarding = removing.slice(0, -1).map(({ name }) => name);

test('an edge gets a thing and a certificate, and may connect last of all', async () => {
  const { iot, controlPlane, steps } = stage();
  const certificate = { id: 'c1', pem: 'PEM' };
  expect(await controlPlane.enrol(edge, 'CSR')).toEqual({ kind: 'certified', certificate });
  expect(steps()).toEqual([
    'CreateThingCommand',
    'CreateCertificateFromCsrCommand',
    'AttachThingPrincipalCommand',
    'AttachPolicyCommand',
  ]);
  expect(iot.commandCalls(AttachPolicyCommand)[0]!.args[0].input).toEqual({
    policyName: 'edge',
    target: certificateArn,
  });
});

test('a thing that is there is left', async () => {
  const { iot, controlPlane } = stage();
  iot.on(CreateThingCommand).rejects(new ResourceAlreadyExistsException(said));
  await expect(controlPlane.createThing(edge)).resolves.toBeUndefined();
  expect(await controlPlane.enrol(edge, 'CSR')).toMatchObject({ certificate: { id: 'c1' } });
});

test.each([throttled, denied])('without a thing no certificate is made: $name', async (error) => {
  const { iot, controlPlane, steps } = stage();
  iot.on(CreateThingCommand).rejects(error);
  await expect(controlPlane.enrol(edge, 'CSR')).rejects.toBe(error);
  expect(steps()).toEqual(['CreateThingCommand']);
});

test.each([throttled, denied])(
  'without a certificate nothing is taken back: $name',
  async (error) => {
    const { iot, controlPlane, steps } = stage();
    iot.on(CreateCertificateFromCsrCommand).rejects(error);
    await expect(controlPlane.enrol(edge, 'CSR')).rejects.toBe(error);
    expect(steps()).toEqual(['CreateThingCommand', 'CreateCertificateFromCsrCommand']);
  },
);

test('only the signing of a request says that the request is not valid', async () => {
  const { iot, controlPlane } = stage();
  const error = new InvalidRequestException({ ...said, message: 'no key' });
  iot.on(CreateCertificateFromCsrCommand).rejects(error);
  expect(await controlPlane.enrol(edge, 'CSR')).toEqual({ kind: 'refused', reason: 'no key' });
  iot.on(CreateCertificateFromCsrCommand).resolves(made);
  for (const command of [CreateThingCommand, AttachThingPrincipalCommand, AttachPolicyCommand]) {
    iot.on(command as typeof CreateThingCommand).rejects(error);
    await expect(controlPlane.enrol(edge, 'CSR')).rejects.toBe(error);
    iot.on(command as typeof CreateThingCommand).resolves({});
  }
});

test.each([
  ['its thing', AttachThingPrincipalCommand, throttled],
  ['its thing', AttachThingPrincipalCommand, denied],
  ['the policy', AttachPolicyCommand, throttled],
  ['the policy', AttachPolicyCommand, denied],
])('a certificate that did not come to %s is taken back', async (_where, command, error) => {
  const { iot, controlPlane, steps } = stage();
  iot.on(command as typeof AttachPolicyCommand).rejects(error);
  await expect(controlPlane.enrol(edge, 'CSR')).rejects.toBe(error);
  expect(steps().slice(-discarding.length)).toEqual(discarding);
  expect(iot.commandCalls(DeleteCertificateCommand)[0]!.args[0].input).toEqual({
    certificateId: 'c1',
    forceDelete: true,
  });
});

test('a certificate that came without its text is taken back', async () => {
  const { iot, controlPlane, steps } = stage();
  iot.on(CreateCertificateFromCsrCommand).resolves({ certificateArn, certificateId: 'c1' });
  await expect(controlPlane.enrol(edge, 'CSR')).rejects.toThrow('without a certificate');
  expect(steps().slice(-discarding.length)).toEqual(discarding);
});

test('a certificate that cannot be taken back does not hide why it had to be', async () => {
  const { iot, controlPlane } = stage();
  const error = new ThrottlingException(said);
  iot.on(AttachPolicyCommand).rejects(error);
  iot.on(UpdateCertificateCommand).rejects(denied);
  await expect(controlPlane.enrol(edge, 'CSR')).rejects.toBe(error);
  expect(error.cause).toBe(denied);
});

test('a certificate can do nothing any more before it goes', async () => {
  const { controlPlane, steps } = stage();
  await controlPlane.discard(edge, 'c1');
  expect(steps()).toEqual(discarding);
});

test('the end of an edge takes its certificate, its shadows and its thing', async () => {
  const { data, controlPlane, asked, steps } = stage();
  await controlPlane.remove(edge, 'c1');
  await controlPlane.remove(edge, null);
  const withThing = ['DescribeEndpointCommand', 'DeleteThingCommand'];
  expect(steps()).toEqual([...discarding, ...withThing, 'DeleteThingCommand']);
  expect(asked).toEqual(['https://data.example']);
  const shadows = data
    .commandCalls(DeleteThingShadowCommand)
    .map((call) => call.args[0].input.shadowName);
  expect(shadows).toEqual(['work', 'prog', 'facts', 'work', 'prog', 'facts']);
});

test('what is gone already is gone', async () => {
  const { iot, data, controlPlane, steps } = stage();
  for (const command of removing) iot.on(command as typeof DeleteThingCommand).rejects(unknown);
  data.on(DeleteThingShadowCommand).rejects(new NoShadow(said));
  await expect(controlPlane.remove(edge, 'c1')).resolves.toBeUndefined();
  expect(steps().at(-1)).toBe('DeleteThingCommand');
});

/** Where a removal may break off. */
test.each(removing.map((command) => [command.name, command] as const))(
  'a removal that was throttled at %s is finished by the next',
  async (_name, command) => {
    const { iot, controlPlane, steps } = stage();
    const step = command as typeof DeleteThingCommand;
    iot.on(step).rejectsOnce(throttled).resolves({});
    await expect(controlPlane.remove(edge, 'c1')).rejects.toBe(throttled);
    await expect(controlPlane.remove(edge, 'c1')).resolves.toBeUndefined();
    expect(steps().at(-1)).toBe('DeleteThingCommand');
  },
);

test('a certificate that is still attached is no success', async () => {
  const { iot, controlPlane, steps } = stage();
  const attached = new DeleteConflictException(said);
  iot.on(DeleteCertificateCommand).rejects(attached);
  await expect(controlPlane.remove(edge, 'c1')).rejects.toBe(attached);
  expect(steps()).not.toContain('DeleteThingCommand');
});

test('the endpoint is asked for once, and again when there was no answer', async () => {
  const { iot, controlPlane } = stage();
  iot
    .on(DescribeEndpointCommand)
    .rejectsOnce(throttled)
    .resolvesOnce({})
    .resolves({ endpointAddress: 'mqtt.example' });
  await expect(controlPlane.endpoint()).rejects.toBe(throttled);
  await expect(controlPlane.endpoint()).rejects.toThrow('named no endpoint');
  expect(await controlPlane.endpoint()).toBe('mqtt.example');
  expect(await controlPlane.endpoint()).toBe('mqtt.example');
  expect(iot.commandCalls(DescribeEndpointCommand)).toHaveLength(3);
});

test.each([
  [{ AWS_ENDPOINT_URL: 'http://all.test' }, 'http://all.test'],
  [
    { AWS_ENDPOINT_URL: 'http://all.test', AWS_ENDPOINT_URL_IOT_DATA_PLANE: 'http://a' },
    'http://a',
  ],
  [{}, 'https://data.example'],
])('shadows are deleted where the environment says: %j', async (environment, address) => {
  const { controlPlane, asked } = stage({ environment });
  await controlPlane.remove(edge, null);
  expect(asked).toEqual([address]);
});

test('edges connect where IoT Core says, or the deployment', async () => {
  expect(await stage().controlPlane.endpoint()).toBe('data.example');
  const { controlPlane, steps } = stage({ mqttEndpoint: 'broker.test:8884' });
  expect(await controlPlane.endpoint()).toBe('broker.test:8884');
  expect(steps()).toEqual([]);
});

test('a thing is called after the stage of its edge', async () => {
  const { iot, data, controlPlane } = stage({ things: makeThings('trial_') });
  expect(controlPlane.thingOf(edge)).toBe('trial_edge-1');
  await controlPlane.enrol(edge, 'CSR');
  await controlPlane.remove(edge, 'c1');
  const named = [...iot.calls(), ...data.calls()].flatMap(
    ({ args: [{ input }] }) => (input as { thingName?: string }).thingName ?? [],
  );
  expect(new Set(named)).toEqual(new Set(['trial_edge-1']));
});
