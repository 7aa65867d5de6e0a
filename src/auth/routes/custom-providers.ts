/** /admin/custom-providers: OAuth2 and OIDC providers that the project adds by itself. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requireAdmin } from '../http/authenticate.ts';
import type { Define, Method } from './route.ts';

export function customProviderRoutes(define: Define, ctx: AuthContext): void {
  const disabled = (method: Method, path: string) =>
    define(method, path, async (exchange) => {
      await requireAdmin(ctx, exchange);
      throw authError('feature_disabled', 'Custom OAuth providers are disabled');
    });
  for (const method of ['GET', 'POST'] as const) disabled(method, '/admin/custom-providers');
  for (const method of ['GET', 'PUT', 'DELETE'] as const) disabled(method, '/admin/custom-providers/:id');
}
