import { createFleetLog } from '../../../adapters/dynamodb/events/fleet-log.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createLiveStore } from '../../../adapters/dynamodb/live/live-store.ts';
import { createWorkShadows } from '../../../adapters/iot/work-shadows.ts';
import { createResultFiles } from '../../../adapters/s3/files.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { findEventStream } from '../../api/events/find-event-stream.ts';
import { listFleetEvents } from '../../api/events/list-fleet-events.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { getOutput } from '../../api/live/get-output.ts';
import { requiredEnv } from '../../environment.ts';

export const liveOperations = {
  getOutput,
  listFleetEvents,
  streamFleetEvents: findEventStream,
};

const ports = onTable({
  jobs: createJobsStore,
  live: createLiveStore,
  fleetLog: createFleetLog,
  eventStream: () => requiredEnv('EVENT_STREAM_URL'),
  liveShadows: () => createWorkShadows(),
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  results: () => createResultFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  clock: () => ({ nowMs: Date.now }),
});

/** What waits for something that comes: a function of its own, because its requests last. */
export const handler = serve('live', liveOperations, ports);
