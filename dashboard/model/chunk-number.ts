/** The chunk that somebody typed; `null` of what a job of so many has not. Pure. */
export function chunkNumber(text: string, total: number): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  const number = Number(text);
  return number < total ? number : null;
}
