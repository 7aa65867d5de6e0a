/** Single sign-on with SAML 2.0: the way to the identity provider and back, and its administration. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requireAdmin } from '../http/authenticate.ts';
import type { Define } from './route.ts';

export function ssoRoutes(define: Define, ctx: AuthContext): void {
  const saml = () => authError('saml_provider_disabled');
  const refuse = () => {
    throw saml();
  };
  define('POST', '/sso', refuse, { limit: 'sso', captcha: true });
  define('POST', '/sso/saml/acs', refuse, { limit: 'saml_assertion' });
  define('GET', '/sso/saml/metadata', () => {
    throw saml();
  });
  for (const method of ['GET', 'POST'] as const) {
    define(method, '/admin/sso/providers', async (exchange) => {
      await requireAdmin(ctx, exchange);
      throw saml();
    });
  }
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    define(method, '/admin/sso/providers/:id', async (exchange) => {
      await requireAdmin(ctx, exchange);
      throw saml();
    });
  }
}
