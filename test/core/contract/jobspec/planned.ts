import { jobsOf, type Placing } from '../../../../core/contract/jobspec/job-bodies.ts';
import { jobspecSchema } from '../../../../core/contract/jobspec/jobspec-schema.ts';
import type { JobspecPlan } from '../../../../core/contract/jobspec/plan.ts';
import { planJobspec } from '../../../../core/contract/jobspec/plan-jobspec.ts';
import { checkBody, type FieldError } from '../../../../core/contract/validation.ts';

type Read =
  | { readonly plan: JobspecPlan; readonly errors: null }
  | { readonly plan: null; readonly errors: readonly FieldError[] };

export function planned(spec: object): Read {
  const checked = checkBody(jobspecSchema, { version: 1, ...spec });
  if (!checked.ok) return { plan: null, errors: checked.errors };
  const outcome = planJobspec(checked.value);
  return outcome.ok ? { plan: outcome.plan, errors: null } : { plan: null, errors: outcome.errors };
}

export function planOf(spec: object): JobspecPlan {
  const { plan, errors } = planned(spec);
  if (plan === null) throw new Error(JSON.stringify(errors));
  return plan;
}

export const onHosts: Placing = { to: { kind: 'hosts', hostOf: new Map() }, chosen: new Map() };

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export function bodiesOf(spec: object, placing = onHosts): readonly any[] {
  return jobsOf(planOf(spec), placing).map(({ body }) => body);
}
