/** /scim/v2: not supported. Responds as upstream does when SCIM is disabled. */
import { authError } from '../errors.ts';
import type { Define } from './route.ts';

export function scimRoutes(define: Define): void {
  for (const resource of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas']) {
    define('GET', `/scim/v2/${resource}`, () => {
      throw authError('feature_disabled', 'SCIM server is disabled');
    });
  }
}
