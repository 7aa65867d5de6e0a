/** Declares the public routes for health and settings. */

import { publicSettings } from '../common/public-settings.ts';
import type { Route } from './route.ts';

/** The version of GoTrue with which this service is compatible. */
const gotrueVersion = 'v2.196.0';

export function publicRoutes(route: Route): void {
  route({
    on: 'GET /health',
    run: () => ({
      version: gotrueVersion,
      name: 'GoTrue',
      description: 'GoTrue is a user registration and authentication API',
    }),
  });
  route({ on: 'GET /settings', run: (ctx) => publicSettings(ctx.settings) });
}
