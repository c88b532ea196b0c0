import { namePattern } from '../../../../core/model/names.ts';

const name = namePattern.source.slice(1, -1);

/** A place in a list of jobs: an id that sorts by its time, or a chosen one behind its job's. */
export const jobPositionPattern = new RegExp(`^([0-9a-z]{18}|[0-9a-z]{9}-${name})$`);
