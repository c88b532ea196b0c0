import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
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
import type { ControlPlane } from '../../core/ports/control-plane.ts';

export type ControlPlaneOptions = { readonly policyName: string; readonly certificatesArn: string };

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
    iot = new IoTClient({}),
    dataAt = (at) => new IoTDataPlaneClient({ endpoint: at }),
  }: Clients = {},
): ControlPlane {
  let data: IoTDataPlaneClient | null = null;
  let endpoint: Promise<string> | null = null;
  const { policyName } = options;
  const createThing = (edge: string) =>
    unless('ResourceAlreadyExistsException', iot.send(new CreateThingCommand({ thingName: edge })));
  return {
    createThing,
    async enrol(edge, csr) {
      await createThing(edge);
      const made = await iot.send(
        new CreateCertificateFromCsrCommand({
          certificateSigningRequest: csr,
          setAsActive: true,
        }),
      );
      const { certificateArn: principal, certificateId: id, certificatePem: pem } = made;
      try {
        if (principal === undefined || id === undefined || pem === undefined) {
          throw new Error('the certificate authority answered without a certificate');
        }
        await iot.send(new AttachThingPrincipalCommand({ thingName: edge, principal }));
        await iot.send(new AttachPolicyCommand({ policyName, target: principal }));
        return { id, pem };
      } catch (error) {
        if (id !== undefined) await discardHalfMade(iot, edge, id, options, error);
        throw error;
      }
    },
    discard: (edge, certificateId) => removeCertificate(iot, edge, certificateId, options),
    async remove(edge, certificateId) {
      if (certificateId !== null) {
        await removeCertificate(iot, edge, certificateId, options);
      }
      data ??= dataAt(dataEndpoint(await describe(iot)));
      for (const shadowName of shadowNames) {
        const gone = data.send(new DeleteThingShadowCommand({ thingName: edge, shadowName }));
        await unless('ResourceNotFoundException', gone);
      }
      const thing = iot.send(new DeleteThingCommand({ thingName: edge }));
      await unless('ResourceNotFoundException', thing);
    },
    endpoint() {
      endpoint ??= describe(iot).catch((error: unknown) => {
        endpoint = null;
        throw error;
      });
      return endpoint;
    },
  };
}

async function removeCertificate(
  iot: IoTClient,
  edge: string,
  certificateId: string,
  { policyName, certificatesArn }: ControlPlaneOptions,
): Promise<void> {
  const principal = `${certificatesArn}${certificateId}`;
  const gone = 'ResourceNotFoundException';
  const newStatus = 'INACTIVE';
  await unless(gone, iot.send(new UpdateCertificateCommand({ certificateId, newStatus })));
  await unless(gone, iot.send(new DetachPolicyCommand({ policyName, target: principal })));
  await unless(gone, iot.send(new DetachThingPrincipalCommand({ thingName: edge, principal })));
  const forced = new DeleteCertificateCommand({ certificateId, forceDelete: true });
  await unless(gone, iot.send(forced));
}

/**
 * A certificate that nobody knows of would stay for ever. The caller gets the error for which it
 * had to go; that it could not be deleted is the cause of that error.
 */
async function discardHalfMade(
  iot: IoTClient,
  edge: string,
  certificateId: string,
  options: ControlPlaneOptions,
  why: unknown,
): Promise<void> {
  try {
    await removeCertificate(iot, edge, certificateId, options);
  } catch (error) {
    if (why instanceof Error) why.cause ??= error;
  }
}

async function describe(iot: IoTClient): Promise<string> {
  const answer = await iot.send(new DescribeEndpointCommand({ endpointType: 'iot:Data-ATS' }));
  if (answer.endpointAddress === undefined) throw new Error('IoT Core named no endpoint');
  return answer.endpointAddress;
}

/** The data plane's own address, unless the environment gives another, as a local cloud does. */
function dataEndpoint(address: string): string {
  return process.env.AWS_ENDPOINT_URL_IOT_DATA_PLANE ?? `https://${address}`;
}

async function unless(name: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== name) throw error;
  }
}
