/** The control plane through the official SDK, as the enrolment of an edge uses it. */
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
  CreateThingCommand,
  DeleteCertificateCommand,
  DeleteThingCommand,
  DescribeCertificateCommand,
  DescribeThingCommand,
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  GetPolicyCommand,
  ListAttachedPoliciesCommand,
  ListPrincipalThingsCommand,
  ListTargetsForPolicyCommand,
  ListThingPrincipalsCommand,
  ListThingsCommand,
  type ListThingsCommandInput,
  UpdateCertificateCommand,
  UpdateThingCommand,
} from '@aws-sdk/client-iot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accountId,
  type Fixture,
  openPolicy,
  region,
  signingRequest,
  startFixture,
} from '../fixture.ts';

let iot: Fixture;
beforeAll(async () => {
  iot = await startFixture();
});
afterAll(() => iot.close());

const arn = (rest: string) => `arn:aws:iot:${region}:${accountId}:${rest}`;

describe('things', () => {
  test('are made once; the same again succeeds, another is a conflict', async () => {
    const wanted = { thingName: 'thing-1', attributePayload: { attributes: { site: 'a' } } };
    const made = await iot.control.send(new CreateThingCommand(wanted));
    expect(made).toMatchObject({ thingName: 'thing-1', thingArn: arn('thing/thing-1') });
    const again = await iot.control.send(new CreateThingCommand(wanted));
    expect(again.thingId).toBe(made.thingId);
    await expect(
      iot.control.send(new CreateThingCommand({ thingName: 'thing-1' })),
    ).rejects.toMatchObject({ name: 'ResourceAlreadyExistsException' });
    expect(
      await iot.control.send(new DescribeThingCommand({ thingName: 'thing-1' })),
    ).toMatchObject({
      attributes: { site: 'a' },
      version: 1,
    });
  });

  test('are updated under a version', async () => {
    const thingName = 'thing-2';
    await iot.control.send(new CreateThingCommand({ thingName }));
    const attributePayload = { attributes: { site: 'b' }, merge: true };
    await iot.control.send(
      new UpdateThingCommand({ thingName, attributePayload, expectedVersion: 1 }),
    );
    await expect(
      iot.control.send(new UpdateThingCommand({ thingName, attributePayload, expectedVersion: 1 })),
    ).rejects.toMatchObject({ name: 'VersionConflictException' });
  });

  test('are listed in pages', async () => {
    for (const name of ['page-1', 'page-2', 'page-3']) {
      await iot.control.send(new CreateThingCommand({ thingName: name }));
    }
    const names: string[] = [];
    let nextToken: string | undefined;
    do {
      const page = await iot.control.send(new ListThingsCommand({ maxResults: 2, nextToken }));
      expect(page.things!.length).toBeLessThanOrEqual(2);
      names.push(...page.things!.map(({ thingName }) => thingName!));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    expect(names).toEqual(expect.arrayContaining(['page-1', 'page-2', 'page-3']));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('things with attributes', () => {
  test('are found by an attribute, whole or by its start', async () => {
    for (const [name, site] of Object.entries({ 'site-1': 'north', 'site-2': 'north-2' })) {
      const attributePayload = { attributes: { where: site } };
      await iot.control.send(new CreateThingCommand({ thingName: name, attributePayload }));
    }
    const found = async (query: ListThingsCommandInput) =>
      (await iot.control.send(new ListThingsCommand(query))).things!.map(
        ({ thingName }) => thingName,
      );
    const attributeName = 'where';
    const attributeValue = 'north';
    expect(await found({ attributeName })).toEqual(['site-1', 'site-2']);
    expect(await found({ attributeName, attributeValue })).toEqual(['site-1']);
    const usePrefixAttributeValue = true;
    expect(await found({ attributeName, attributeValue, usePrefixAttributeValue })).toEqual([
      'site-1',
      'site-2',
    ]);
    const first = await iot.control.send(new ListThingsCommand({ attributeName, maxResults: 1 }));
    expect(first.things).toHaveLength(1);
    expect(await found({ attributeName, nextToken: first.nextToken })).toEqual(['site-2']);
    expect(await found({ thingTypeName: 'any' })).toEqual([]);
  });

  test('have three attributes at most, of the documented letters, and no type', async () => {
    const make = (attributes: Record<string, string>, thingTypeName?: string) =>
      iot.control.send(
        new CreateThingCommand({
          thingName: 'thing-3',
          thingTypeName,
          attributePayload: { attributes },
        }),
      );
    const refused = { name: 'InvalidRequestException' };
    await expect(make({ a: '1', b: '2', c: '3', d: '4' })).rejects.toMatchObject(refused);
    await expect(make({ 'a b': '1' })).rejects.toMatchObject(refused);
    await expect(make({ a: 'x y' })).rejects.toMatchObject(refused);
    await expect(make({ a: 'x'.repeat(801) })).rejects.toMatchObject(refused);
    await expect(make({}, 'robot')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await make({ a: '1', b: '2', c: 'x=[3]' });
    const merge = { attributes: { d: '4' }, merge: true };
    const update = (attributePayload: { attributes: Record<string, string>; merge: boolean }) =>
      iot.control.send(new UpdateThingCommand({ thingName: 'thing-3', attributePayload }));
    await expect(update(merge)).rejects.toMatchObject(refused);
    await update({ attributes: { a: '', d: '4' }, merge: true });
    expect(
      (await iot.control.send(new DescribeThingCommand({ thingName: 'thing-3' }))).attributes,
    ).toEqual({ b: '2', c: 'x=[3]', d: '4' });
  });

  test('that do not exist or have bad names are refused', async () => {
    await expect(
      iot.control.send(new DescribeThingCommand({ thingName: 'nobody' })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(
      iot.control.send(new CreateThingCommand({ thingName: 'a b' })),
    ).rejects.toMatchObject({ name: 'InvalidRequestException' });
    await iot.control.send(new DeleteThingCommand({ thingName: 'nobody' }));
  });
});

describe('certificates', () => {
  test('are inactive unless asked otherwise', async () => {
    const { csr } = await signingRequest('edge');
    const made = await iot.control.send(
      new CreateCertificateFromCsrCommand({ certificateSigningRequest: csr }),
    );
    expect(made.certificateArn).toBe(arn(`cert/${made.certificateId}`));
    const { certificateDescription } = await iot.control.send(
      new DescribeCertificateCommand({ certificateId: made.certificateId }),
    );
    expect(certificateDescription).toMatchObject({
      status: 'INACTIVE',
      certificatePem: made.certificatePem,
      creationDate: expect.any(Date),
    });
  });

  test('go only when inactive and detached', async () => {
    const edge = await iot.enrol('edge-leaving', ['open', 'edge']);
    const { certificateId, certificateArn: principal } = edge;
    const remove = (forceDelete = false) =>
      iot.control.send(new DeleteCertificateCommand({ certificateId, forceDelete }));
    await expect(
      iot.control.send(new DeleteThingCommand({ thingName: edge.thing })),
    ).rejects.toMatchObject({ name: 'InvalidRequestException' });
    await expect(remove(true)).rejects.toMatchObject({ name: 'CertificateStateException' });
    await iot.control.send(new UpdateCertificateCommand({ certificateId, newStatus: 'INACTIVE' }));
    await expect(remove(true)).rejects.toMatchObject({ name: 'DeleteConflictException' });
    await iot.control.send(new DetachThingPrincipalCommand({ thingName: edge.thing, principal }));
    await expect(remove()).rejects.toMatchObject({ name: 'DeleteConflictException' });
    await iot.control.send(new DetachPolicyCommand({ policyName: 'open', target: principal }));
    await remove(true);
    await iot.control.send(new DeleteThingCommand({ thingName: edge.thing }));
    await expect(
      iot.control.send(new DescribeCertificateCommand({ certificateId })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('attachments', () => {
  test('can be looked up from both ends', async () => {
    const edge = await iot.enrol('edge-linked', ['edge']);
    const { certificateArn: principal, thing: thingName } = edge;
    expect(
      (await iot.control.send(new ListThingPrincipalsCommand({ thingName }))).principals,
    ).toEqual([principal]);
    expect((await iot.control.send(new ListPrincipalThingsCommand({ principal }))).things).toEqual([
      thingName,
    ]);
    const { policies } = await iot.control.send(
      new ListAttachedPoliciesCommand({ target: principal }),
    );
    expect(policies).toEqual([{ policyName: 'edge', policyArn: arn('policy/edge') }]);
    const { targets } = await iot.control.send(
      new ListTargetsForPolicyCommand({ policyName: 'edge' }),
    );
    expect(targets).toContain(principal);
  });

  test('need things, certificates and policies that exist', async () => {
    const edge = await iot.enrol('edge-partial', []);
    const unknown = arn(`cert/${'0'.repeat(64)}`);
    await expect(
      iot.control.send(
        new AttachThingPrincipalCommand({ thingName: 'nobody', principal: edge.certificateArn }),
      ),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(
      iot.control.send(
        new AttachThingPrincipalCommand({ thingName: edge.thing, principal: unknown }),
      ),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(
      iot.control.send(
        new AttachPolicyCommand({ policyName: 'none', target: edge.certificateArn }),
      ),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('of an exclusive thing allow no second one', async () => {
    const edge = await iot.enrol('edge-alone', []);
    await iot.control.send(new CreateThingCommand({ thingName: 'edge-other' }));
    const principal = edge.certificateArn;
    const attach = (thingName: string) =>
      new AttachThingPrincipalCommand({
        thingName,
        principal,
        thingPrincipalType: 'EXCLUSIVE_THING',
      });
    await iot.control.send(attach(edge.thing));
    await expect(iot.control.send(attach('edge-other'))).rejects.toMatchObject({
      name: 'InvalidRequestException',
    });
  });

  test('policies are those of the template', async () => {
    const { policyDocument } = await iot.control.send(new GetPolicyCommand({ policyName: 'open' }));
    expect(JSON.parse(policyDocument!)).toEqual(openPolicy);
  });
});

test('an operation that is not there answers as an unknown one', async () => {
  const response = await fetch(`${iot.httpUrl}iot/jobs`);
  expect(response.status).toBe(404);
  expect(response.headers.get('x-amzn-errortype')).toBe('UnknownOperationException');
});

describe('the action that a request needs', () => {
  const needs = (service: 'iot' | 'iotdata', method: string, url: string, headers = {}) =>
    iot.service.actionOf(service, { method, url, headers });
  test.each<['iot' | 'iotdata', string, string, string, string]>([
    ['iotdata', 'POST', '/things/e-1/shadow?name=work', 'UpdateThingShadow', arn('thing/e-1/work')],
    ['iotdata', 'GET', '/things/e-1/shadow', 'GetThingShadow', arn('thing/e-1')],
    ['iotdata', 'POST', '/topics/a%2Fb?qos=1', 'Publish', arn('topic/a/b')],
    ['iotdata', 'DELETE', '/connections/e-1', 'DeleteConnection', arn('client/e-1')],
    ['iot', 'POST', '/certificates', 'CreateCertificateFromCsr', '*'],
    ['iot', 'GET', '/endpoint?endpointType=iot:Data-ATS', 'DescribeEndpoint', '*'],
    ['iot', 'POST', '/things/e-1', 'CreateThing', arn('thing/e-1')],
    ['iot', 'PUT', '/certificates/abc?newStatus=REVOKED', 'UpdateCertificate', arn('cert/abc')],
  ])('%s %s %s', (service, method, url, action, resource) => {
    expect(needs(service, method, url)).toEqual({ action: `iot:${action}`, resource });
  });

  test('attaching a thing is about the certificate', () => {
    const principal = arn('cert/abc');
    expect(
      needs('iot', 'PUT', '/things/e-1/principals', { 'x-amzn-principal': principal }),
    ).toEqual({
      action: 'iot:AttachThingPrincipal',
      resource: principal,
    });
  });
});
