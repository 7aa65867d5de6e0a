/**
 * Declares GET and POST /callback, to which a provider redirects the browser. The response then redirects the browser
 * to the app.
 */
import type { AuthContext } from '../context.ts';
import { type Exchange, header } from '../http/exchange.ts';
import type { Router } from '../http/route.ts';
import { finishProviderSignIn } from './callback.ts';

export function callbackRoutes({ define }: Router, ctx: AuthContext): void {
  for (const method of ['GET', 'POST'] as const) {
    define(method, '/callback', async (exchange) => {
      const { location, status } = await finishProviderSignIn(ctx, exchange.caller, callbackParams(exchange));
      return exchange.reply.redirect(location, status);
    });
  }
}

/**
 * Returns the parameters from the query and from the form, which providers send with `response_mode=form_post`. Form
 * fields take precedence over query parameters.
 */
function callbackParams({ request, query }: Exchange): URLSearchParams {
  const isForm = header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded');
  if (request.method !== 'POST' || !isForm || typeof request.body !== 'string') return query;
  return new URLSearchParams([...new URLSearchParams(request.body), ...query]);
}
