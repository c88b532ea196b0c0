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
        return { kind: 'refused', reason: 'not a request' };
      }
      const id = `certificate-${++made}`;
      certificates.set(id, edge);
      const pem = `-----BEGIN CERTIFICATE-----\n${id}\n-----END CERTIFICATE-----\n`;
      return { kind: 'certified', certificate: { id, pem } };
    },
    async createThing() {},
    async discard(_edge, id) {
      certificates.delete(id);
    },
    async remove(edge, id) {
      if (id !== null) certificates.delete(id);
      shadows.forget(edge);
    },
    thingOf: (edge) => edge,
    endpoint: async () => 'broker.test:8883',
  };
}
