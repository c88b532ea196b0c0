/**
 * A service of which each edge that matches has one instance, those that join later too. Numbers
 * are given in the order of joining and stay with the edge.
 */
export type Everywhere = {
  /** When it is over: when all edges of now are done, or never. */
  readonly until: Until;
  /** Cordoned edges get theirs, too. */
  readonly onCordoned: boolean;
};

export const untils = ['all-now', 'forever'] as const;
export type Until = (typeof untils)[number];
