/** The port lies with the others; this address is for what still asks here. */
export type { Inventory } from './ports/inventory.ts';
