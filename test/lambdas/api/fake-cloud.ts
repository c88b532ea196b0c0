import type { ControlPlane } from '../../../core/ports/control-plane.ts';
import type { Outputs } from '../../../core/ports/outputs.ts';
import type { EdgeShadows } from '../../../core/ports/shadows.ts';
import type { EdgeRemovals } from '../../../core/ports/timers.ts';

import { createQuietLog } from '../quiet-log.ts';

/**
 * What lies beyond the table, played in memory: certificates are texts, outputs a map, removals a
 * list.
 */
export type FakeCloud = {
  readonly controlPlane: ControlPlane;
  readonly outputs: Outputs;
  readonly shadows: EdgeShadows;
  readonly removals: EdgeRemovals;
  readonly certificates: Map<string, string>;
  readonly leaving: string[];
  readonly works: Map<string, Record<string, unknown>>;
  readonly log: ReturnType<typeof createQuietLog>;
};

export function createFakeCloud(): FakeCloud {
  const certificates = new Map<string, string>();
  const objects = new Map<string, string>();
  const works = new Map<string, Record<string, unknown>>();
  const leaving: string[] = [];
  let made = 0;
  return {
    certificates,
    leaving,
    works,
    log: createQuietLog(),
    controlPlane: {
      async enrol(edge) {
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
        works.delete(edge);
      },
      endpoint: async () => 'broker.test:8883',
    },
    outputs: {
      async put(job, chunk, attempt, body) {
        const key = `${job}/${chunk}.${attempt}`;
        objects.set(key, Buffer.from(body).toString('utf8'));
        return key;
      },
      get: async (key) => objects.get(key) ?? null,
      async removeAll(job) {
        for (const key of objects.keys()) if (key.startsWith(`${job}/`)) objects.delete(key);
      },
    },
    shadows: { readWork: async (edge) => works.get(edge) ?? null },
    removals: {
      async lookAt(edge) {
        leaving.push(edge);
      },
    },
  };
}
