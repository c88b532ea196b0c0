/** Bounds of clusters: of their graphs, what they say and what they take. */

/** A cluster of some 400 nodes with each core by itself; more are said by `size` or `limits`. */
export const graphVerticesMax = 20_000;
/** A tree edge, its mirror and one more for each vertex. */
export const graphEdgesMax = 60_000;
/** From the cluster to a hardware thread it is eight. */
export const graphDepthMax = 16;
/** Different types of vertices in one graph: each is a count that an edge shows. */
export const graphTypesMax = 64;
/** What one vertex counts for: as much as an edge may have of anything. */
export const vertexSizeMax = 1_000_000_000;
export const vertexTextLengthMax = 256;
/** Names that a vertex says of itself, `attributes` and free ones counted apart. */
export const vertexFieldsMax = 64;
/** The tree of shapes as it is stored: a match reads it for every cluster of a pool. */
export const graphDigestBytesMax = 64 * 1024;
/** What subsystems say, stored beside the tree: both fit into one item of 400 KB. */
export const graphKindsBytesMax = 192 * 1024;
export const subsystemVerticesMax = 5_000;
export const subsystemEdgesMax = 60_000;
/** Nodes, or anything on a node, that a cluster without fixed nodes may have. */
export const ephemeralAmountMax = 1_000_000;
/** Types beside cores and gpus that a node of such a cluster may have. */
export const ephemeralTypesMax = 13;
/** Places that the vertices of one subsystem may have together: they are sets in memory. */
export const attachmentsMax = 1_000_000;
/** A document as it was sent, unpacked; 20,000 vertices as they are usually written. */
export const graphBytesMax = 4 * 1024 * 1024;
export const subsystemsMax = 32;
/** A subsystem; all of them are read again when one of them changes. */
export const subsystemBytesMax = 1024 * 1024;

/** What a cluster says for those who choose one: a few figures, in the row that shows it. */
export const stateKeysMax = 64;
export const stateKeyLengthMax = 64;
export const stateTtlSecondsMax = 30 * 24 * 3_600;
/** Clusters that one token may be bound to: their names travel with each of its requests. */
export const boundEdgesMax = 50;
/** Tokens by which others submit to one cluster; they go with it in one transaction. */
export const submitTokensMax = 20;
/** Jobspecs that an edge may have taken and not ended: its row notes each. */
export const takenSubmissionsMax = 100;
/** Jobs that one request takes or gives back. */
export const acceptJobsMax = 500;
/** How long a request for offers may wait for the first one; a gateway waits thirty. */
export const offerWaitSecondsMax = 25;
/** Values that a reason names as what was found instead. */
export const valuesShownMax = 3;
