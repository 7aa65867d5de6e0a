import { ApiError } from '../lib/api.ts';
import { loaded } from '../lib/loaded.ts';
import { leaveFor } from './account-api.ts';
import { currentFlow } from './flow.ts';
import { domainIn } from './form/fields.ts';

/**
 * Continues at the organization's identity provider if the address requires SSO, as the sign-in page does. Throws every
 * other error.
 */
export async function toOrganization(error: unknown, email: string): Promise<never> {
  if (!(error instanceof ApiError) || error.code !== 'sso_required' || email === '') throw error;
  const { findOrganization } = await loaded(import('./methods/api.ts'));
  return leaveFor(await findOrganization(domainIn(email), currentFlow().search.slice(1)));
}
