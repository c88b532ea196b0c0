/** A round number at or above the largest value: the top of the axis. */
export function axisTop(values: readonly number[]): number {
  const largest = Math.max(0, ...values);
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  for (const step of [1, 2, 4, 5, 8, 10]) if (step * power >= largest) return step * power;
  return largest;
}
