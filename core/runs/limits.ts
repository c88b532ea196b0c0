/** Bounds of what a chunk runs. */

/** What browsers and servers agree on for an address. */
export const rootfsLengthMax = 2_048;
/** Containers of one pod: as many as ECS takes in one task. */
export const podContainersMax = 10;
/** With what its container ended with it has to fit into the text of a failure. */
export const containerNameLengthMax = 32;
