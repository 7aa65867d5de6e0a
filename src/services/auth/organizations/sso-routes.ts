/** Declares the routes for the domains, single sign-on and SCIM of organizations. Their code is loaded at the first request. */
import type { Operation } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';

type Operations = typeof import('./sso-operations.ts');
type Name = keyof Operations;

export function organizationSsoRoutes(route: Route): void {
  route(operation('GET /organizations/available', 'readAvailable'));
  route(operation('POST /organizations/:id/join', 'joinByDomain'));
  route(operation('GET /organizations/:id/sso', 'readSso'));
  route(operation('PATCH /organizations/:id/sso', 'changeOwnConnection'));
  route(operation('DELETE /organizations/:id/sso', 'removeOwnConnection', 204));
  route(operation('POST /organizations/:id/domains', 'createDomain', 201));
  route(operation('PATCH /organizations/:id/domains/:domain', 'changeOwnDomain'));
  route(operation('POST /organizations/:id/domains/:domain/check', 'checkOwnDomain'));
  route(operation('DELETE /organizations/:id/domains/:domain', 'removeOwnDomain', 204));
  route(operation('POST /organizations/:id/setup-links', 'createOwnSetupLink', 201));
  route(operation('DELETE /organizations/:id/setup-links/:link', 'revokeOwnSetupLink', 204));
  route(operation('DELETE /organizations/:id/scim-tokens/:token', 'revokeOwnScimToken', 204));
}

function operation(
  on: Operation<Exchange, object | undefined>['on'],
  name: Name,
  status?: 201 | 204,
): Operation<Exchange, object | undefined> {
  return {
    on,
    guards: [limitByAddress('user')],
    ...(status === undefined ? {} : { status }),
    async run(ctx, exchange) {
      const operations = await import('./sso-operations.ts');
      const run: (ctx: AuthContext, input: Exchange) => Promise<unknown> = operations[name];
      const result = await run(ctx, exchange);
      return typeof result === 'object' && result !== null ? result : undefined;
    },
  };
}
