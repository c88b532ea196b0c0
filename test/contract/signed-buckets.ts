import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../../adapters/aws/endpoint.ts';
import type { Credentials } from '../../adapters/aws/environment-credentials.ts';
import { gatewayServer } from '../../local/engine/gateway/gateway.ts';
import { keyRing } from '../../local/services/iam/identity.ts';
import { roleBook } from '../../local/services/iam/roles.ts';
import type { QueuesAndBuckets } from '../../local/services/queues-and-buckets.ts';
import { s3Service } from '../../local/services/s3/gateway.ts';

/** The buckets of the local cloud behind its gateway, which looks at signatures and checksums. */
export type SignedBuckets = {
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  close(): void;
};

const region = 'eu-central-1';

export async function serveSignedBuckets(
  standIn: QueuesAndBuckets,
  stateDir: string,
): Promise<SignedBuckets> {
  const kept = new Map<string, string>();
  const keys = keyRing({
    get: (kind: string, name: string) => kept.get(`${kind}/${name}`),
    put: (kind: string, name: string, value: string) => void kept.set(`${kind}/${name}`, value),
  } as Parameters<typeof keyRing>[0]);
  const roles = roleBook(stateDir, keys);
  const services = new Map([['s3', s3Service(roles, standIn, region)]]);
  const [everybody, nothing] = [() => true, () => ({})];
  const server = gatewayServer(services, roles, everybody, nothing, () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { accessKeyId, secretAccessKey } = keys.root;
  return {
    endpoint: { url: new URL(`http://127.0.0.1:${port}`), region, service: 's3' },
    credentials: { accessKeyId, secretAccessKey },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
