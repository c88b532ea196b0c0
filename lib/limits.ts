/**
 * Bounds that only the deployment has; the bounds of the system are in `core/model/limits.ts`.
 */

/** A pass takes well under a second; batches of them wait for each other. */
export const passTimeoutSeconds = 60;
/** A batch of reports is a few writes. */
export const reportTimeoutSeconds = 10;
/** Removing an edge is a dozen calls to IoT Core. */
export const removalTimeoutSeconds = 30;
/** Many receivers at once, each for `deliveryBudgetMs`, and what the last of them takes. */
export const deliveryTimeoutSeconds = 60;
/** `eventStreamMsMax`, and what a reader that stalls at the end may take. */
export const eventStreamTimeoutSeconds = 150;
/** Outputs are kept as long as the timeline (`eventTtlSeconds`). */
export const outputsKeptDays = 30;
/** Files of jobs: what a job names when it is accepted stays for twice a month at least. */
export const filesKeptDays = 90;
/** Uploads in parts that nobody goes on with: a link that was down over a weekend. */
export const unfinishedUploadsKeptDays = 4;
/** A year, as browsers ask for (the HSTS preload list asks for one at least). */
export const hstsDays = 365;

/** Large graphs on their way: they are read within the hour that their address is good for. */
export const graphUploadsKeptDays = 1;
