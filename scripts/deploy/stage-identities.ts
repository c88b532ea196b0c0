import {
  DeleteCertificateCommand,
  DeleteThingCommand,
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  IoTClient,
  ListPrincipalThingsCommand,
  ListTargetsForPolicyCommand,
  ListThingsCommand,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';

/**
 * Takes back what enrolment made: the certificates that the policy of the stage is attached to,
 * and their things. They are no part of the stack, and IoT Core does not delete a policy that is
 * attached. Things of edges that only speak HTTPS are found by the prefix of the stage; the first
 * stage has none, and its registry may hold things of others, so those stay.
 */
export async function removeIdentities(policyName: string, thingPrefix: string): Promise<number> {
  const iot = new IoTClient({});
  let removed = 0;
  for (const target of await targetsOf(iot, policyName)) {
    await removeCertificate(iot, policyName, target);
    removed++;
  }
  if (thingPrefix !== '') {
    for (const thingName of await thingsWith(iot, thingPrefix)) {
      await iot.send(new DeleteThingCommand({ thingName }));
    }
  }
  iot.destroy();
  return removed;
}

async function removeCertificate(iot: IoTClient, policyName: string, target: string) {
  const certificateId = target.slice(target.lastIndexOf('/') + 1);
  await iot.send(new DetachPolicyCommand({ policyName, target }));
  const { things = [] } = await iot.send(new ListPrincipalThingsCommand({ principal: target }));
  for (const thingName of things) {
    await iot.send(new DetachThingPrincipalCommand({ thingName, principal: target }));
    await iot.send(new DeleteThingCommand({ thingName }));
  }
  await iot.send(new UpdateCertificateCommand({ certificateId, newStatus: 'INACTIVE' }));
  await iot.send(new DeleteCertificateCommand({ certificateId, forceDelete: true }));
}

async function targetsOf(iot: IoTClient, policyName: string): Promise<string[]> {
  const found: string[] = [];
  let marker: string | undefined;
  do {
    const page = await iot.send(new ListTargetsForPolicyCommand({ policyName, marker }));
    found.push(...(page.targets ?? []));
    marker = page.nextMarker;
  } while (marker !== undefined);
  return found;
}

async function thingsWith(iot: IoTClient, prefix: string): Promise<string[]> {
  const found: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await iot.send(new ListThingsCommand({ nextToken }));
    const names = (page.things ?? []).map(({ thingName = '' }) => thingName);
    found.push(...names.filter((name) => name.startsWith(prefix)));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return found;
}
