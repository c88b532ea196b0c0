/** Bounds of what is asked when a place is chosen. */

/**
 * Expressions by which a cluster is selected: a line of a file that people write, as many steps as
 * the selections of other schedulers have, with room.
 */
export const selectionExpressionLengthMax = 256;
/** Parentheses and signs within each other: no recursion of the parser goes deeper. */
export const selectionExpressionDepthMax = 32;
export const selectionStepsMax = 32;
export const selectionPrioritiesMax = 8;
/** Of all priorities as JSON: they are kept with each submission, whose row has 400 KB. */
export const selectionLengthMax = 32_768;
/** Operations that the expressions of one selection may cost for one cluster. */
export const selectionFuelMax = 10_000;
/** Hosts of a pool that are looked at for one jobspec, and clusters: a page of each is 1 MB. */
export const placeHostsMax = 1_000;
export const placeClustersMax = 100;
