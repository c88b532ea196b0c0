/** Bounds of jobspecs. */

/** Tasks of a jobspec before replicas are unfolded: a workflow, not a parameter study. */
export const jobspecTasksMax = 200;
/** Clusters that one jobspec may name. */
export const jobspecClustersMax = 100;
/** Labels of a submission: each of its jobs has them, and three of ours. */
export const jobspecLabelsMax = 32;
export const jobspecGroupDepthMax = 4;
export const jobspecParametersMax = 64;
/** Requirements of one resource with all below it: a match keeps a bit of a number for each. */
export const resourceRequirementsMax = 30;
/** Mistakes of one jobspec that are reported at once: more than that nobody reads. */
export const jobspecErrorsMax = 50;
/** Runs that one group orders by itself: its script knows each by a number. */
export const groupRunsMax = 10_000;
/** A list shows so many at most on a page: each is read with all of its jobs. */
export const submissionsShownMax = 50;
/** Open submissions that one tick goes on with, and how long their makers have before that. */
export const submissionsContinuedMax = 25;
/** Waiting ones for which a place is looked for in a tick: each look reads a whole pool. */
export const submissionsPlacedMax = 10;
export const submissionSettleMs = 30_000;
