import * as z from 'zod';
import { argvItemLengthMax, argvItemsMax } from '../../model/limits.ts';
import { portsOfAll } from '../../runs/pod.ts';
import {
  portNamePattern,
  portNumberMax,
  portNumberMin,
  portsMax,
  probeFailuresDefault,
  probeFailuresMax,
  probePathLengthMax,
  probeSecondsDefault,
  probeSecondsMax,
  probeTimeoutSecondsDefault,
  probeTimeoutSecondsMax,
  readyAfterSecondsDefault,
  readyAfterSecondsMax,
} from '../../services/limits.ts';
import type { Readiness } from '../../services/readiness.ts';
import type { ServicePort } from '../../services/service-port.ts';
import { text, whole } from '../text-schema.ts';

/** When an instance is ready, and where it is reached, in the words of who submits it. */
const pace = {
  everySeconds: whole(1, probeSecondsMax).default(probeSecondsDefault),
  timeoutSeconds: whole(1, probeTimeoutSecondsMax).default(probeTimeoutSecondsDefault),
  failures: whole(1, probeFailuresMax).default(probeFailuresDefault),
};

const portNameSchema = z.string().regex(portNamePattern, {
  error: 'A port is called by 1 to 15 lower-case letters, digits and inner hyphens.',
});

const pathSchema = text(probePathLengthMax).refine((path) => /^\/[!-~]*$/.test(path), {
  error: 'A path begins with / and has no blank in it.',
});

export const readySchema = z
  .strictObject({
    afterSeconds: whole(0, readyAfterSecondsMax).optional(),
    http: z
      .strictObject({ port: portNameSchema, path: pathSchema.default('/'), ...pace })
      .optional()
      .meta({ id: 'HttpProbe', description: 'Ready while this answers with less than 400.' }),
    exec: z
      .strictObject({ argv: z.array(text(argvItemLengthMax)).min(1).max(argvItemsMax), ...pace })
      .optional()
      .meta({ id: 'ExecProbe', description: 'Ready while this ends with 0.' }),
  })
  .refine((ready) => Object.values(ready).filter((value) => value !== undefined).length <= 1, {
    error: 'An instance is ready by one of "afterSeconds", "http" and "exec".',
  });

type ReadyBody = z.output<typeof readySchema>;

export function readinessOf(body: ReadyBody = {}): Readiness {
  const { afterSeconds = readyAfterSecondsDefault, http, exec } = body;
  if (http !== undefined) return { http };
  return exec === undefined ? { afterSeconds } : { exec };
}

const portSchema = whole(portNumberMin, portNumberMax);

export const portsSchema = z
  .array(
    z
      .strictObject({
        name: portNameSchema,
        target: portSchema.nullable().default(null),
        port: portSchema.nullable().default(null),
        protocol: z.enum(['tcp', 'udp']).default('tcp'),
      })
      .meta({ id: 'ServicePort', description: 'Where the instances of a service are reached.' }),
  )
  .max(portsMax);

type Issue = (path: readonly string[], message: string) => void;

type Reached = {
  readonly run?: object | undefined;
  readonly ready?: ReadyBody | undefined;
  readonly ports?: readonly ServicePort[] | undefined;
};

/** Whether what is asked of an instance, and how it is reached, is there at all. */
export function checkReadiness({ run, ready, ports: own = [] }: Reached, issue: Issue): void {
  const placed = portsOfAll(own, run);
  const ports = placed.map(({ port }) => port);
  const isSimulated = run !== undefined && 'simulate' in run;
  const isProbed = ready?.http !== undefined || ready?.exec !== undefined;
  if (isSimulated && isProbed) issue(['ready'], 'A simulated instance answers nothing.');
  if (isSimulated && ports.length > 0) issue(['ports'], 'A simulated instance has no ports.');
  const asked = ready?.http?.port;
  if (asked !== undefined && !ports.some((it) => it.name === asked && it.protocol === 'tcp')) {
    issue(['ready', 'http', 'port'], 'This must name one of its "ports", of the protocol tcp.');
  }
  const names = new Set<string>();
  const numbers = new Set<string>();
  if (ports.length > portsMax) issue(['ports'], `An instance has at most ${portsMax} ports.`);
  for (const { path, port: one } of placed) {
    const { name, target, port, protocol } = one;
    if (names.has(name)) issue([...path, 'name'], 'A port is named twice here.');
    names.add(name);
    const number = `${protocol} ${port}`;
    if (port !== null && numbers.has(number)) {
      issue([...path, 'port'], 'Two ports of one instance cannot be the same.');
    }
    numbers.add(number);
    if (target !== null && run !== undefined && !('container' in run || 'pod' in run)) {
      const words = 'Only a container has a "target"; a process listens at the "port".';
      issue([...path, 'target'], words);
    }
  }
}

/** In the answer about an instance: where each of its ports is. */
export const instancePortSchema = z
  .strictObject({
    name: z.string(),
    host: z.string().nullable(),
    port: z.int().min(1).max(portNumberMax),
    protocol: z.enum(['tcp', 'udp']),
  })
  .meta({ id: 'InstancePort', description: 'Where one port of an instance is reached.' });
