/** Declares the public routes for health and settings, and prepares the responses that all clients get. */

import type { Mount } from '../../../base/kernel/service.ts';
import { preparedJson, sharedJson } from '../../../base/shared/http/shared-json.ts';
import { publicSettings } from '../common/public-settings.ts';
import type { AuthContext } from '../context.ts';
import { cacheControl } from '../oauth-server/discovery-routes.ts';
import type { Route } from './route.ts';

/** The version of GoTrue with which this service is compatible. */
const gotrueVersion = 'v2.196.0';

const health = {
  version: gotrueVersion,
  name: 'GoTrue',
  description: 'GoTrue is a user registration and authentication API',
};

/** Returns the responses of routes whose content depends only on the settings and the keys. */
export function responsesForAll(ctx: AuthContext): NonNullable<Mount['sameForAll']> {
  const responses = new Map([
    ['/health', () => healthResponse],
    ['/settings', preparedJson(() => ctx.settings, publicSettings)],
    [
      '/.well-known/jwks.json',
      preparedJson(
        () => ctx.keys.publicJwks().keys,
        (keys) => ({ keys }),
        ['cache-control', cacheControl],
      ),
    ],
  ]);
  return (path) => responses.get(path)?.();
}

const healthResponse = sharedJson(health);

export function publicRoutes(route: Route): void {
  route({ on: 'GET /health', run: () => health });
  route({ on: 'GET /settings', run: (ctx) => publicSettings(ctx.settings) });
}
