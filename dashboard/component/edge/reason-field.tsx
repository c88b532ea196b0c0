import { reasonLengthMax } from '../../../core/model/limits.ts';

/** Why an edge is taken out of service: what others will read. */
export function ReasonField() {
  return (
    <label>
      Reason
      <input
        name="reason"
        required
        maxLength={reasonLengthMax}
        placeholder="what others should know"
      />
    </label>
  );
}

export function reasonOf(fields: FormData): string {
  return String(fields.get('reason') ?? '').trim();
}
