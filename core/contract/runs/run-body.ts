import * as z from 'zod';
import { isImageName } from '../../model/image-name.ts';
import {
  argvItemLengthMax,
  argvItemsMax,
  deadlineSecondsMax,
  envEntriesMax,
  jobPowerMax,
} from '../../model/limits.ts';
import { containerNameLengthMax, podContainersMax, rootfsLengthMax } from '../../runs/limits.ts';
import { portsSchema } from '../services/readiness-body.ts';
import { nameSchema, nonEmptyText, text, whole } from '../text-schema.ts';

/**
 * What one chunk runs, as a user submits it: exactly one of the ways there are. An edge takes it
 * only when it has that way.
 */
const seconds = whole(1, deadlineSecondsMax);

const argvSchema = z.array(text(argvItemLengthMax)).min(1).max(argvItemsMax);
const envSchema = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
      error: 'The name of a variable is made of letters, digits and _ and begins with no digit.',
    }),
    text(argvItemLengthMax),
  )
  .refine((env) => Object.keys(env).length <= envEntriesMax, {
    error: `At most ${envEntriesMax} variables fit here.`,
  });

const simulateSchema = z
  .strictObject({
    seconds: z.number().min(0).max(deadlineSecondsMax).optional(),
    wattSeconds: z.number().min(0).max(jobPowerMax).optional(),
  })
  .refine((run) => run.seconds === undefined || run.wattSeconds === undefined, {
    error: 'A simulated run has exactly one of "seconds" and "wattSeconds".',
  });

const processSchema = z.strictObject({
  argv: argvSchema,
  env: envSchema.default({}),
  cwd: nonEmptyText(4096).nullable().default(null),
  timeoutSeconds: seconds.nullable().default(null),
});

const imageSchema = nonEmptyText(512).refine(isImageName, {
  error: 'An image is called like "ghcr.io/acme/tool:1.2", and begins with a letter or digit.',
});

const containerSchema = z.strictObject({
  image: imageSchema,
  argv: z.array(text(argvItemLengthMax)).max(argvItemsMax).default([]),
  env: envSchema.default({}),
  timeoutSeconds: seconds.nullable().default(null),
});

const podSchema = z.strictObject({
  containers: z
    .array(
      z
        .strictObject({
          name: nameSchema.max(containerNameLengthMax),
          image: imageSchema,
          argv: z.array(text(argvItemLengthMax)).max(argvItemsMax).default([]),
          env: envSchema.default({}),
          ports: portsSchema.optional(),
        })
        .meta({ id: 'PodContainer', description: 'One container of a pod.' }),
    )
    .min(1)
    .max(podContainersMax)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      error: 'Each container of a pod has a name of its own.',
    }),
  timeoutSeconds: seconds.nullable().default(null),
});

/** A file system of an address; that somebody runs it is another matter. */
const vmSchema = z.strictObject({
  rootfs: text(rootfsLengthMax).refine((address) => /^https?:\/\/[!-~]+$/.test(address), {
    error: 'The file system of a virtual machine is an address like "https://host/root.tar.gz".',
  }),
  env: envSchema.default({}),
  timeoutSeconds: seconds.nullable().default(null),
});

const batchSchema = z.strictObject({
  argv: argvSchema,
  env: envSchema.default({}),
  cwd: nonEmptyText(4096).nullable().default(null),
  timeoutSeconds: seconds.nullable().default(null),
  options: z.array(text(1024)).max(64).default([]),
});

const ways = '"simulate", "process", "container", "pod", "slurm", "flux" and "vm"';

export const runSchema = z
  .strictObject({
    simulate: simulateSchema.optional(),
    process: processSchema.optional(),
    container: containerSchema.optional(),
    pod: podSchema.optional(),
    slurm: batchSchema.optional(),
    flux: batchSchema.optional(),
    vm: vmSchema.optional(),
  })
  .refine((run) => Object.values(run).filter((value) => value !== undefined).length === 1, {
    error: `A run is exactly one of ${ways}.`,
  })
  .meta({ id: 'Run', description: 'What one chunk runs: exactly one of the members.' });
