/** Declares the public routes for health and settings. */

import { publicSettings } from '../common/public-settings.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from './route.ts';

/** The version of GoTrue with which this service is compatible. */
const gotrueVersion = 'v2.196.0';

export function publicRoutes({ define }: Router, ctx: AuthContext): void {
  define('GET', '/health', () => ({
    version: gotrueVersion,
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  }));

  define('GET', '/settings', () => publicSettings(ctx.settings));
}
