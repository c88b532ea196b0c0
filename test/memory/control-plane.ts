import type { EdgeName } from '../../core/model/names.ts';
import type { ControlPlane } from '../../core/ports/control-plane.ts';
import type { MemoryShadows } from './shadows.ts';

export type MemoryControlPlane = ControlPlane & {
  /** The edge of each certificate that is there. */
  readonly certificates: Map<string, EdgeName>;
};

/** Things and certificates in memory. */
export function createMemoryControlPlane(
  shadows: Pick<MemoryShadows, 'forget'>,
): MemoryControlPlane {
  const certificates = new Map<string, EdgeName>();
  let made = 0;
  return {
    certificates,
    async enrol(edge, csr) {
      if (!csr.includes('CERTIFICATE REQUEST')) {
        throw Object.assign(new Error('not a request'), { name: 'InvalidRequestException' });
      }
      const id = `certificate-${++made}`;
      certificates.set(id, edge);
      return { id, pem: `-----BEGIN CERTIFICATE-----\n${id}\n-----END CERTIFICATE-----\n` };
    },
    async createThing() {},
    async discard(_edge, id) {
      certificates.delete(id);
    },
    async remove(edge, id) {
      if (id !== null) certificates.delete(id);
      shadows.forget(edge);
    },
    endpoint: async () => 'broker.test:8883',
  };
}
