import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
  type CreateCertificateFromCsrCommandOutput,
  CreateThingCommand,
  DeleteCertificateCommand,
  DeleteThingCommand,
  DescribeEndpointCommand,
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  IoTClient,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import { DeleteThingShadowCommand, IoTDataPlaneClient } from '@aws-sdk/client-iot-data-plane';
import type { Certification, ControlPlane } from '../../core/ports/control-plane.ts';
import { clientConfig } from '../aws/client-config.ts';
import { makeThings, type Things } from './things.ts';

export type ControlPlaneOptions = {
  readonly policyName: string;
  readonly certificatesArn: string;
  /** Where edges connect, when that is not where IoT Core says; empty for that. */
  readonly mqttEndpoint?: string;
  readonly things?: Things;
  readonly environment?: Environment;
};

type Environment = Readonly<Record<string, string | undefined>>;

type Clients = {
  readonly iot?: IoTClient;
  readonly dataAt?: (endpoint: string) => IoTDataPlaneClient;
};

const shadowNames = ['work', 'prog', 'facts'] as const;

/**
 * Things and certificates of IoT Core. The certificate is attached before the policy, so that a
 * half-made edge can connect nowhere.
 */
export function createControlPlane(
  options: ControlPlaneOptions,
  {
    iot = new IoTClient(clientConfig),
    dataAt = (at) => new IoTDataPlaneClient({ ...clientConfig, endpoint: at }),
  }: Clients = {},
): ControlPlane {
  let data: IoTDataPlaneClient | null = null;
  let endpoint: Promise<string> | null = null;
  const { policyName, mqttEndpoint = '', things = makeThings() } = options;
  const given = givenDataEndpoint(options.environment ?? process.env);
  const createThing = (thingName: string) =>
    unless('ResourceAlreadyExistsException', iot.send(new CreateThingCommand({ thingName })));
  return {
    thingOf: things.of,
    createThing: (edge) => createThing(things.of(edge)),
    async enrol(edge, csr) {
      const thingName = things.of(edge);
      await createThing(thingName);
      const made = await sign(iot, csr);
      if (made.kind === 'refused') return made;
      const { certificateArn: principal, certificateId: id, certificatePem: pem } = made.answer;
      try {
        if (principal === undefined || id === undefined || pem === undefined) {
          throw new Error('the certificate authority answered without a certificate');
        }
        await iot.send(new AttachThingPrincipalCommand({ thingName, principal }));
        await iot.send(new AttachPolicyCommand({ policyName, target: principal }));
        return { kind: 'certified', certificate: { id, pem } };
      } catch (error) {
        if (id !== undefined) await discardHalfMade(iot, thingName, id, options, error);
        throw error;
      }
    },
    discard: (edge, certificateId) =>
      removeCertificate(iot, things.of(edge), certificateId, options),
    async remove(edge, certificateId) {
      const thingName = things.of(edge);
      if (certificateId !== null) {
        await removeCertificate(iot, thingName, certificateId, options);
      }
      data ??= dataAt(given ?? `https://${await describe(iot)}`);
      for (const shadowName of shadowNames) {
        const gone = data.send(new DeleteThingShadowCommand({ thingName, shadowName }));
        await unless('ResourceNotFoundException', gone);
      }
      const thing = iot.send(new DeleteThingCommand({ thingName }));
      await unless('ResourceNotFoundException', thing);
    },
    endpoint() {
      if (mqttEndpoint !== '') return Promise.resolve(mqttEndpoint);
      endpoint ??= describe(iot).catch((error: unknown) => {
        endpoint = null;
        throw error;
      });
      return endpoint;
    },
  };
}

/**
 * Only here a request that is not valid is the edge's own: of the other steps it would be ours, and
 * theirs are thrown.
 */
async function sign(
  iot: IoTClient,
  csr: string,
): Promise<
  | { readonly kind: 'made'; readonly answer: CreateCertificateFromCsrCommandOutput }
  | Extract<Certification, { kind: 'refused' }>
> {
  const input = { certificateSigningRequest: csr, setAsActive: true };
  try {
    return { kind: 'made', answer: await iot.send(new CreateCertificateFromCsrCommand(input)) };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InvalidRequestException') throw error;
    return { kind: 'refused', reason: error.message };
  }
}

async function removeCertificate(
  iot: IoTClient,
  thingName: string,
  certificateId: string,
  { policyName, certificatesArn }: ControlPlaneOptions,
): Promise<void> {
  const principal = `${certificatesArn}${certificateId}`;
  const gone = 'ResourceNotFoundException';
  const newStatus = 'INACTIVE';
  await unless(gone, iot.send(new UpdateCertificateCommand({ certificateId, newStatus })));
  await unless(gone, iot.send(new DetachPolicyCommand({ policyName, target: principal })));
  await unless(gone, iot.send(new DetachThingPrincipalCommand({ thingName, principal })));
  const forced = new DeleteCertificateCommand({ certificateId, forceDelete: true });
  await unless(gone, iot.send(forced));
}

/**
 * A certificate that nobody knows of would stay for ever. The caller gets the error for which it
 * had to go; that it could not be deleted is the cause of that error.
 */
async function discardHalfMade(
  iot: IoTClient,
  thingName: string,
  certificateId: string,
  options: ControlPlaneOptions,
  why: unknown,
): Promise<void> {
  try {
    await removeCertificate(iot, thingName, certificateId, options);
  } catch (error) {
    if (why instanceof Error) why.cause ??= error;
  }
}

async function describe(iot: IoTClient): Promise<string> {
  const answer = await iot.send(new DescribeEndpointCommand({ endpointType: 'iot:Data-ATS' }));
  if (answer.endpointAddress === undefined) throw new Error('IoT Core named no endpoint');
  return answer.endpointAddress;
}

/**
 * Where the environment says that the data plane is, for it alone or for all of AWS: a local cloud,
 * an emulator, an endpoint in a private network.
 */
function givenDataEndpoint(environment: Environment): string | undefined {
  return environment.AWS_ENDPOINT_URL_IOT_DATA_PLANE ?? environment.AWS_ENDPOINT_URL;
}

async function unless(name: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== name) throw error;
  }
}
