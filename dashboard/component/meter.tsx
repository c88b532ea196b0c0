/**
 * One amount of another, as a bar. The words beside it carry the meaning; `label` names it for
 * screen readers.
 */
export type MeterProps = {
  readonly value: number;
  readonly of: number;
  readonly label: string;
  readonly tone?: 'load' | 'done' | 'queue' | 'bad';
};

export function Meter({ value, of, label, tone = 'load' }: MeterProps) {
  const percent = of > 0 ? Math.min(100, Math.max(0, (100 * value) / of)) : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element looks different in every browser
    <div
      class={`meter meter-${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(percent)}
    >
      <div class="meter-fill" style={{ width: `${percent}%` }} />
    </div>
  );
}
