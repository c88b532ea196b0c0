/**
 * Of jobs that need the same and wait: how many a pass sees at most, as soon as there are twice as
 * many. A pass has rows to place some thirty of them; the others stand on the shelf of their cell.
 */
export const shelfHeadsMax = 32;
