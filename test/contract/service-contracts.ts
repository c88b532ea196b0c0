import { adminTokenContract } from './admin-token.ts';
import { controlPlaneContract } from './control-plane.ts';
import { filesContract } from './files.ts';
import { graphsContract } from './graphs.ts';
import { outputsContract } from './outputs.ts';
import type { ServicesContract } from './services.ts';
import { shadowsContract } from './shadows.ts';
import { timersContract } from './timers.ts';

/** Every port beyond the table, by its contract. */
export const serviceContracts: Readonly<Record<string, ServicesContract>> = {
  shadows: shadowsContract,
  outputs: outputsContract,
  files: filesContract,
  graphs: graphsContract,
  'the control plane': controlPlaneContract,
  timers: timersContract,
  'the admin token': adminTokenContract,
};
