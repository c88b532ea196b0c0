import { deployedPlace } from './deployed-place.ts';
import { makeLocalPlace, type Place } from './stage.ts';

const deployed = process.env.EDGEWISE_DEPLOYED;

/** The stage stands already, and is no local cloud. */
export const isDeployed = deployed !== undefined;

/** Where a flow runs: a local cloud of its own, or the stage that the environment names. */
export async function makePlace(): Promise<Place> {
  return deployed === undefined ? makeLocalPlace() : deployedPlace(deployed);
}
