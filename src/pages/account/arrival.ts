/**
 * Determines the URL to which a browser is redirected after the user has signed in with a link or an identity provider.
 */
import type { FastifyRequest } from 'fastify';
import { carriedFlow } from './core/html.ts';
import { AccountError } from './errors.ts';
import type { ReturnAddress } from './return-address.ts';
import { mustStepUp, type Visitor } from './visitor.ts';

/**
 * Returns the URL of the page that asks for a second factor or sets up a required one, the URL of another Account page, or the app. `requested` is the query string of the
 * page on which the sign-in started.
 * @throws {AccountError} if the app can't receive a session
 */
export async function arrivalAddress(
  returnAddress: ReturnAddress,
  request: FastifyRequest,
  requested: URLSearchParams,
  arrived: Visitor,
): Promise<string> {
  const flow = carriedFlow(requested);
  const next = requested.get('next');
  if (mustStepUp(arrived)) return ourPage('mfa', flow);
  if (requested.has('redirect_to') && (next === null || next === 'app')) {
    return returnAddress(request, Object.fromEntries(requested), arrived).catch((error: unknown) => {
      if (error instanceof AccountError && error.code === 'factor_required') return ourPage('two-step', flow);
      throw error;
    });
  }
  const keepsFlow = next === 'consent' || next === 'upgrade';
  const isOurs = keepsFlow || next === 'new-password' || next === 'join';
  if (isOurs) return ourPage(next, keepsFlow ? flow : '');
  if (next === 'organizations') return organizationsPage(requested);
  const section = /^[a-z-]{1,20}$/.exec(requested.get('section') ?? '')?.[0];
  return `/account/security${section === undefined ? '' : `#${section}`}`;
}

/**
 * Returns the URL of the page about organizations on which the sign-in started: an invitation, an organization, or the
 * list. `web/account/flow.ts` applies the same rule.
 */
export function organizationsPage(requested: URLSearchParams): string {
  const invitation = requested.get('invitation') ?? '';
  if (isInvitationToken(invitation)) return `/account/organizations/join?token=${invitation}`;
  const organization = requested.get('organization') ?? '';
  return isOrganizationId(organization)
    ? `/account/organizations/${organization}`
    : ourPage('organizations', carriedFlow(withoutNext(requested)));
}

function withoutNext(requested: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams(requested);
  for (const name of ['next', 'add', 'again']) query.delete(name);
  return query;
}

export const isInvitationToken = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
export const isOrganizationId = (text: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Returns the URL of an Account page with a query string. */
export const ourPage = (page: string, flow: string): string =>
  `/account/${page}${flow === '' ? '' : `?${flow}`}`;

/**
 * Returns the URL of an Account page that shows the message for an error code. The page never shows text from the URL.
 */
export function problemPage(page: string, flow: string, code: string): string {
  return pageWith(page, flow, 'problem', /^[a-z0-9_]{1,64}$/.test(code) ? code : 'other');
}

export function pageWith(page: string, flow: string, name: string, value: string): string {
  const query = new URLSearchParams(flow);
  query.set(name, value);
  return `/account/${page}?${query}`;
}
