/** Certificates and their attachments. A certificate that stops being ACTIVE is cut off at once. */

import { invalid, notFound, ServiceError } from '../http/http-answer.ts';
import type { JsonObject } from '../json.ts';
import type { IssuedCertificate } from './authority.ts';
import type { ControlCall, ControlDependencies, ControlOperation } from './operation.ts';
import { nextToken, pageOf } from './operation.ts';
import { type Certificate, certificateStatuses } from './registry.ts';

export function certificateOperations(
  dependencies: ControlDependencies,
): Record<string, ControlOperation> {
  return {
    ...lifecycle(dependencies),
    ...thingAttachments(dependencies),
  };
}

export const arnOf = (
  { region, accountId }: ControlDependencies,
  kind: string,
  id: string,
): string => `arn:aws:iot:${region}:${accountId}:${kind}/${id}`;

function existing({ registry }: ControlDependencies, id: string): Certificate {
  const certificate = registry.certificate(id);
  if (certificate === undefined)
    throw notFound(`The certificate given in the request does not exist: ${id}`);
  return certificate;
}

/** Principals and targets are ARNs of certificates; other kinds do not exist here. */
export function certificateOf(
  dependencies: ControlDependencies,
  arn: string | undefined,
): Certificate {
  const id = /:cert\/([0-9a-f]{64})$/.exec(arn ?? '')?.[1];
  if (id === undefined)
    throw invalid(`The ARN of a certificate is needed, not ${arn ?? 'nothing'}.`);
  return existing(dependencies, id);
}

function lifecycle(dependencies: ControlDependencies): Record<string, ControlOperation> {
  const { registry, journal, nowMs, changed } = dependencies;
  const summary = (certificate: Certificate): JsonObject => ({
    certificateArn: arnOf(dependencies, 'cert', certificate.id),
    certificateId: certificate.id,
    status: certificate.status,
    creationDate: certificate.createdAtMs / 1000,
  });
  return {
    CreateCertificateFromCsr: (call) => createCertificate(dependencies, call),
    CreateKeysAndCertificate: (call) => createKeys(dependencies, call),
    DescribeCertificate({ path }) {
      const certificate = existing(dependencies, path['certificate'] ?? '');
      return {
        certificateDescription: {
          ...summary(certificate),
          certificatePem: certificate.pem,
          lastModifiedDate: certificate.modifiedAtMs / 1000,
          ownedBy: dependencies.accountId,
        },
      };
    },
    async UpdateCertificate({ path, query }) {
      const status = certificateStatuses.find((known) => known === query.get('newStatus'));
      if (status === undefined) throw invalid('newStatus is ACTIVE, INACTIVE or REVOKED.');
      const certificate = existing(dependencies, path['certificate'] ?? '');
      await journal.write(() => registry.setCertificateStatus(certificate.id, status, nowMs()));
      changed();
      if (status !== 'ACTIVE') await dependencies.certificateDisabled(certificate.id);
      return {};
    },
    async DeleteCertificate({ path, query }) {
      const certificate = existing(dependencies, path['certificate'] ?? '');
      const force = query.get('forceDelete') === 'true';
      await journal.write(() => removeCertificate(dependencies, certificate, force));
      changed();
      await dependencies.certificateDisabled(certificate.id);
      return {};
    },
    ListCertificates({ query }) {
      const page = pageOf(query);
      const found = registry.listCertificates(page.after, page.size + 1);
      return {
        certificates: found.slice(0, page.size).map(summary),
        ...(found.length > page.size ? { nextMarker: nextToken(found[page.size - 1]!.id) } : {}),
      };
    },
  };
}

async function createCertificate(
  dependencies: ControlDependencies,
  { body, query }: ControlCall,
): Promise<JsonObject> {
  const csr = body['certificateSigningRequest'];
  if (typeof csr !== 'string') throw invalid('certificateSigningRequest is missing.');
  const issued = await dependencies.authority.issueFromRequest(csr).catch((error: Error) => {
    throw invalid(error.message);
  });
  return register(dependencies, issued, query);
}

/** "Creates a 2048-bit RSA key pair": the only place where a key is made for somebody else. */
async function createKeys(
  dependencies: ControlDependencies,
  { query }: ControlCall,
): Promise<JsonObject> {
  const { keyPair, ...issued } = await dependencies.authority.issueWithKeys();
  return { ...(await register(dependencies, issued, query)), keyPair };
}

async function register(
  dependencies: ControlDependencies,
  issued: IssuedCertificate,
  query: URLSearchParams,
): Promise<JsonObject> {
  const { registry, journal, nowMs } = dependencies;
  const atMs = nowMs();
  await journal.write(() =>
    registry.addCertificate({
      id: issued.id,
      pem: issued.pem,
      commonName: issued.subjectCommonName,
      status: query.get('setAsActive') === 'true' ? 'ACTIVE' : 'INACTIVE',
      createdAtMs: atMs,
      modifiedAtMs: atMs,
    }),
  );
  return {
    certificateArn: arnOf(dependencies, 'cert', issued.id),
    certificateId: issued.id,
    certificatePem: issued.pem,
  };
}

/** "A certificate cannot be deleted if it has a policy or thing attached or if it is ACTIVE." */
function removeCertificate(
  dependencies: ControlDependencies,
  certificate: Certificate,
  force: boolean,
): void {
  const { registry } = dependencies;
  const arn = arnOf(dependencies, 'cert', certificate.id);
  if (certificate.status === 'ACTIVE') {
    throw new ServiceError(
      406,
      'CertificateStateException',
      `Certificate must be deactivated (not ACTIVE) before deletion. ${arn}`,
    );
  }
  if (registry.thingsOf(certificate.id).length > 0) {
    throw deleteConflict(`Things must be detached before deletion (arn: ${arn})`);
  }
  // "forceDelete … deletes a certificate if it is inactive and is not attached to an IoT thing"
  const policies = registry.policiesOf(certificate.id);
  if (policies.length > 0 && !force) {
    throw deleteConflict(`Certificate policies must be detached before deletion (arn: ${arn})`);
  }
  for (const policy of policies) registry.detachPolicy(certificate.id, policy);
  registry.deleteCertificate(certificate.id);
}

const deleteConflict = (message: string): ServiceError =>
  new ServiceError(409, 'DeleteConflictException', message);

function thingAttachments(dependencies: ControlDependencies): Record<string, ControlOperation> {
  const { registry, journal, changed } = dependencies;
  const thingOf = ({ path }: ControlCall) => {
    const name = path['thing'] ?? '';
    if (registry.thing(name) === undefined) throw notFound(`Thing ${name} cannot be found.`);
    return name;
  };
  return {
    AttachThingPrincipal: (call) =>
      journal.write(() => {
        const thing = thingOf(call);
        const { id } = certificateOf(dependencies, call.principal);
        const exclusive = call.query.get('thingPrincipalType') === 'EXCLUSIVE_THING';
        const others = registry.thingsOf(id).filter((attached) => attached.name !== thing);
        // "EXCLUSIVE_THING: no other things can be attached to the principal"
        const taken = exclusive
          ? others.length > 0
          : others.some((attached) => attached.type === 'EXCLUSIVE_THING');
        if (taken) throw invalid('The principal is attached exclusively or to another thing.');
        registry.attachThing(thing, id, exclusive ? 'EXCLUSIVE_THING' : 'NON_EXCLUSIVE_THING');
        changed();
        return {};
      }),
    DetachThingPrincipal: (call) =>
      journal.write(() => {
        registry.detachThing(thingOf(call), certificateOf(dependencies, call.principal).id);
        changed();
        return {};
      }),
    ListThingPrincipals: (call) => ({
      principals: registry
        .principalsOf(thingOf(call))
        .map(({ name }) => arnOf(dependencies, 'cert', name)),
    }),
    ListPrincipalThings: (call) => ({
      things: registry
        .thingsOf(certificateOf(dependencies, call.principal).id)
        .map(({ name }) => name),
    }),
  };
}
