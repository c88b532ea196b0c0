import { isText, isTime, listOf, orNull, recordOf } from './shapes.ts';

/** Events of the fleet, as rows hold them. */
export const areEvents = listOf(
  recordOf({
    id: isText,
    atMs: isTime,
    kind: isText,
    job: orNull(isText),
    edge: orNull(isText),
    name: orNull(isText),
    pool: isText,
    queue: orNull(isText),
    jobspec: orNull(isText),
    detail: isText,
  }),
);
