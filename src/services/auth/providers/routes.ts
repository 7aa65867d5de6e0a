/** Declares GET /authorize and GET /user/identities/authorize, which redirect the browser to a provider. */

import type { Router } from '../http/route.ts';
import { identityLinking, providerSignIn } from './operations.ts';

export function externalRoutes({ serve }: Router): void {
  serve(
    'GET',
    '/authorize',
    providerSignIn,
    (address, { reply }) => reply.redirect(address, 302),
    ({ query }) => ({ query }),
  );
  serve(
    'GET',
    '/user/identities/authorize',
    identityLinking,
    (url, { query, reply }) =>
      query.get('skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302),
    ({ query }) => ({ query }),
  );
}
