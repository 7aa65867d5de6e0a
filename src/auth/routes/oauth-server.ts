/** We as an OAuth server; not offered yet, whatever config.toml enables: it answers as upstream's does when disabled. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requireAdmin } from '../http/authenticate.ts';
import type { Define, Method } from './route.ts';

export function oauthServerRoutes(define: Define, ctx: AuthContext): void {
  const disabled = () => authError('feature_disabled', 'OAuth server is disabled');
  const everybody: readonly (readonly [Method, string])[] = [
    ['GET', '/oauth/authorize'],
    ['GET', '/oauth/authorizations/:id'],
    ['POST', '/oauth/authorizations/:id/consent'],
    ['POST', '/oauth/token'],
    ['GET', '/oauth/userinfo'],
    ['POST', '/oauth/clients/register'],
    ['GET', '/user/oauth/grants'],
    ['DELETE', '/user/oauth/grants'],
  ];
  for (const [method, path] of everybody) {
    define(method, path, () => {
      throw disabled();
    });
  }
  const admins: readonly (readonly [Method, string])[] = [
    ['GET', '/admin/oauth/clients'],
    ['POST', '/admin/oauth/clients'],
    ['GET', '/admin/oauth/clients/:id'],
    ['PUT', '/admin/oauth/clients/:id'],
    ['DELETE', '/admin/oauth/clients/:id'],
    ['POST', '/admin/oauth/clients/:id/regenerate_secret'],
  ];
  for (const [method, path] of admins) {
    define(method, path, async (exchange) => {
      await requireAdmin(ctx, exchange);
      throw disabled();
    });
  }
}
