/**
 * Declares the routes for sign-in with identity providers and for linked identities. The browser is redirected to the
 * provider, from the provider to /callback, and from there to the app.
 */
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { type Exchange, header } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
import { requireUser } from '../sessions/authenticate.ts';
import { linkingAddress, signInAddress } from './authorize.ts';
import { finishProviderSignIn, type SignInRedirect } from './callback.ts';
import { unlinkIdentity } from './identities.ts';

export function providerRoutes(route: Route): void {
  route(providerSignIn);
  for (const method of ['GET', 'POST'] as const) {
    route(finishSignIn(method), {
      render: ({ location, status }, { reply }) => reply.redirect(location, status),
    });
  }
  route(identityLinking, {
    render: (url, { query }) => (query.get('skip_http_redirect') === 'true' ? { url } : url),
  });
  route(removeIdentity);
}

interface ProviderCall extends Call {
  /** The parameters of GET /authorize. */
  readonly query: URLSearchParams;
}

/** Returns the provider's URL, to which the caller must redirect the browser. */
export const providerSignIn: Operation<ProviderCall, string> = {
  on: 'GET /authorize',
  status: 302,
  guards: [limitByAddress('authorize')],
  errorPage: (_ctx, caller) => caller.redirectTo(),
  run: (ctx, { caller, query }) => signInAddress(ctx, caller, query),
};

const finishSignIn = (method: 'GET' | 'POST'): Operation<Exchange, SignInRedirect> => ({
  on: `${method} /callback`,
  errorPage: ({ settings }) => settings.siteUrl,
  run: (ctx, exchange) => finishProviderSignIn(ctx, exchange.caller, callbackParams(exchange)),
});

/**
 * Returns the parameters from the query and from the form, which providers send with `response_mode=form_post`. Form
 * fields take precedence over query parameters.
 */
function callbackParams({ request, query }: Exchange): URLSearchParams {
  const isForm = header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded');
  if (request.method !== 'POST' || !isForm || typeof request.body !== 'string') return query;
  return new URLSearchParams([...new URLSearchParams(request.body), ...query]);
}

/** Returns the URL of the provider at which the user links an identity. */
export const identityLinking: Operation<ProviderCall, string> = {
  on: 'GET /user/identities/authorize',
  run: async (ctx, { caller, query }) =>
    linkingAddress(ctx, await limitChanges(ctx, await requireUser(ctx, caller)), query),
};

const removeIdentity: Operation<Exchange, object> = {
  on: 'DELETE /user/identities/:id',
  async run(ctx, { caller, params }) {
    const self = await limitChanges(ctx, await requireUser(ctx, caller));
    await unlinkIdentity(ctx, self, params.id ?? '');
    return {};
  },
};
