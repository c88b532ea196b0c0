import { controlPlaneContract } from './control-plane.ts';
import { outputsContract } from './outputs.ts';
import type { ServicesContract } from './services.ts';
import { shadowsContract } from './shadows.ts';
import { timersContract } from './timers.ts';

/** Every port beyond the table, by its contract. */
export const serviceContracts: Readonly<Record<string, ServicesContract>> = {
  shadows: shadowsContract,
  outputs: outputsContract,
  'the control plane': controlPlaneContract,
  timers: timersContract,
};
