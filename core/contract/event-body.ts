import * as z from 'zod';
import { timeSchema } from './text-schema.ts';

/** What the API says of events of the fleet. */
export const fleetEventSchema = z
  .strictObject({
    id: z.string().meta({ description: 'The same of an event that comes a second time.' }),
    at: timeSchema,
    kind: z.string(),
    job: z.string().nullable(),
    name: z.string().nullable(),
    edge: z.string().nullable(),
    pool: z.string(),
    queue: z.string().nullable(),
    jobspec: z.string().nullable(),
    detail: z.string(),
  })
  .meta({ id: 'FleetEvent' });

export type FleetEventAnswer = z.output<typeof fleetEventSchema>;

export const fleetEventsSchema = z
  .strictObject({
    items: z.array(fleetEventSchema),
    cursor: z.string().meta({ description: 'Where to go on: `after` of the next request.' }),
  })
  .meta({ id: 'FleetEvents' });

export type FleetEventsAnswer = z.output<typeof fleetEventsSchema>;
