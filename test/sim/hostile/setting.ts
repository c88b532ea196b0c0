import { edgeNameOf } from '../../../core/model/names.ts';

/** What the fleet with a hostile edge, and who judges it, must agree on. */
export const hostileName = edgeNameOf('mallory');
/** Below what one job wants, so that a claim that is believed shows. */
export const poolMax = 1_200;
export const chunkPower = 50;
