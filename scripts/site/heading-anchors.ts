/**
 * The anchors of the headings of one page, as forges make them, so that one link works in both
 * places: lower case, without punctuation, and numbered where a heading comes again.
 */
export class HeadingAnchors {
  readonly #times = new Map<string, number>();

  next(heading: string): string {
    const anchor = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = this.#times.get(anchor) ?? 0;
    this.#times.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  }
}
