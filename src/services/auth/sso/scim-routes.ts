/** Declares /scim/v2. SCIM isn't supported. The response is the same as in upstream if SCIM is disabled. */
import { authError } from '../errors.ts';
import type { Router } from '../http/route.ts';

export function scimRoutes({ define }: Router): void {
  for (const resource of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas']) {
    define('GET', `/scim/v2/${resource}`, () => {
      throw authError('feature_disabled', 'SCIM server is disabled');
    });
  }
}
