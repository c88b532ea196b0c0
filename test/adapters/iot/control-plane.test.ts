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
import { edgeNameOf } from '../../../core/model/names.ts';

const edge = edgeNameOf('edge-1');
const certificateArn = 'arn:aws:iot:eu-west-1:1:cert/c1';
const made = { certificateArn, certificateId: 'c1', certificatePem: 'PEM' };

const said = { message: 'no', $metadata: {} };
const throttled = new ThrottlingException(said);
const denied = new UnauthorizedException(said);
const unknown = new ResourceNotFoundException(said);

const region = 'eu-west-1';

function stage() {
  const clients = { iot: new IoTClient({ region }), data: new IoTDataPlaneClient({ region }) };
  const iot = mockClient(clients.iot);
  const data = mockClient(clients.data);
  const asked: string[] = [];
  const plane = createControlPlane(
    { policyName: 'edge', certificatesArn: 'arn:aws:iot:eu-west-1:1:cert/' },
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
  return { iot, data, plane, asked, steps };
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
  const { iot, plane, steps } = stage();
  expect(await plane.enrol(edge, 'CSR')).toEqual({ id: 'c1', pem: 'PEM' });
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
  const { iot, plane } = stage();
  iot.on(CreateThingCommand).rejects(new ResourceAlreadyExistsException(said));
  await expect(plane.createThing(edge)).resolves.toBeUndefined();
  expect((await plane.enrol(edge, 'CSR')).id).toBe('c1');
});

test.each([throttled, denied])('without a thing no certificate is made: $name', async (error) => {
  const { iot, plane, steps } = stage();
  iot.on(CreateThingCommand).rejects(error);
  await expect(plane.enrol(edge, 'CSR')).rejects.toBe(error);
  expect(steps()).toEqual(['CreateThingCommand']);
});

test.each([throttled, denied])(
  'without a certificate nothing is taken back: $name',
  async (error) => {
    const { iot, plane, steps } = stage();
    iot.on(CreateCertificateFromCsrCommand).rejects(error);
    await expect(plane.enrol(edge, 'CSR')).rejects.toBe(error);
    expect(steps()).toEqual(['CreateThingCommand', 'CreateCertificateFromCsrCommand']);
  },
);

test.each([
  ['its thing', AttachThingPrincipalCommand, throttled],
  ['its thing', AttachThingPrincipalCommand, denied],
  ['the policy', AttachPolicyCommand, throttled],
  ['the policy', AttachPolicyCommand, denied],
])('a certificate that did not come to %s is taken back', async (_where, command, error) => {
  const { iot, plane, steps } = stage();
  iot.on(command as typeof AttachPolicyCommand).rejects(error);
  await expect(plane.enrol(edge, 'CSR')).rejects.toBe(error);
  expect(steps().slice(-discarding.length)).toEqual(discarding);
  expect(iot.commandCalls(DeleteCertificateCommand)[0]!.args[0].input).toEqual({
    certificateId: 'c1',
    forceDelete: true,
  });
});

test('a certificate that came without its text is taken back', async () => {
  const { iot, plane, steps } = stage();
  iot.on(CreateCertificateFromCsrCommand).resolves({ certificateArn, certificateId: 'c1' });
  await expect(plane.enrol(edge, 'CSR')).rejects.toThrow('without a certificate');
  expect(steps().slice(-discarding.length)).toEqual(discarding);
});

test('a certificate that cannot be taken back does not hide why it had to be', async () => {
  const { iot, plane } = stage();
  const error = new ThrottlingException(said);
  iot.on(AttachPolicyCommand).rejects(error);
  iot.on(UpdateCertificateCommand).rejects(denied);
  await expect(plane.enrol(edge, 'CSR')).rejects.toBe(error);
  expect(error.cause).toBe(denied);
});

test('a certificate can do nothing any more before it goes', async () => {
  const { plane, steps } = stage();
  await plane.discard(edge, 'c1');
  expect(steps()).toEqual(discarding);
});

test('the end of an edge takes its certificate, its shadows and its thing', async () => {
  const { data, plane, asked, steps } = stage();
  await plane.remove(edge, 'c1');
  await plane.remove(edge, null);
  const withThing = ['DescribeEndpointCommand', 'DeleteThingCommand'];
  expect(steps()).toEqual([...discarding, ...withThing, 'DeleteThingCommand']);
  expect(asked).toEqual(['https://data.example']);
  const shadows = data
    .commandCalls(DeleteThingShadowCommand)
    .map((call) => call.args[0].input.shadowName);
  expect(shadows).toEqual(['work', 'prog', 'facts', 'work', 'prog', 'facts']);
});

test('what is gone already is gone', async () => {
  const { iot, data, plane, steps } = stage();
  for (const command of removing) iot.on(command as typeof DeleteThingCommand).rejects(unknown);
  data.on(DeleteThingShadowCommand).rejects(new NoShadow(said));
  await expect(plane.remove(edge, 'c1')).resolves.toBeUndefined();
  expect(steps().at(-1)).toBe('DeleteThingCommand');
});

/** Where a removal may break off. */
test.each(removing.map((command) => [command.name, command] as const))(
  'a removal that was throttled at %s is finished by the next',
  async (_name, command) => {
    const { iot, plane, steps } = stage();
    const step = command as typeof DeleteThingCommand;
    iot.on(step).rejectsOnce(throttled).resolves({});
    await expect(plane.remove(edge, 'c1')).rejects.toBe(throttled);
    await expect(plane.remove(edge, 'c1')).resolves.toBeUndefined();
    expect(steps().at(-1)).toBe('DeleteThingCommand');
  },
);

test('a certificate that is still attached is no success', async () => {
  const { iot, plane, steps } = stage();
  const attached = new DeleteConflictException(said);
  iot.on(DeleteCertificateCommand).rejects(attached);
  await expect(plane.remove(edge, 'c1')).rejects.toBe(attached);
  expect(steps()).not.toContain('DeleteThingCommand');
});

test('the endpoint is asked for once, and again when there was no answer', async () => {
  const { iot, plane } = stage();
  iot
    .on(DescribeEndpointCommand)
    .rejectsOnce(throttled)
    .resolvesOnce({})
    .resolves({ endpointAddress: 'mqtt.example' });
  await expect(plane.endpoint()).rejects.toBe(throttled);
  await expect(plane.endpoint()).rejects.toThrow('named no endpoint');
  expect(await plane.endpoint()).toBe('mqtt.example');
  expect(await plane.endpoint()).toBe('mqtt.example');
  expect(iot.commandCalls(DescribeEndpointCommand)).toHaveLength(3);
});
