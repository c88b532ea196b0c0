import type { Route } from '../../core/contract/routes.ts';
import type { ApiStage } from '../lambdas/api/api-stage.ts';
import { submittedJobspec } from './jobspec-recipes.ts';
import { newWebhook } from './webhook-recipes.ts';

/** The address of something that is made for this one request, where that has an id of its own. */
export async function ownPath({ operation }: Route, other: string, api: ApiStage): Promise<string> {
  if (operation.endsWith('Webhook')) return `/v1/webhooks/${await newWebhook(api)}`;
  if (operation.endsWith('Jobspec')) return `/v1/jobspecs/${await submittedJobspec(api)}`;
  return other;
}
