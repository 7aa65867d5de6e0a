/** Whether passkeys for this project can be created and used in this browser at this address. */
import { pageConfig } from '../page-config.ts';

export function supportsKeys(): boolean {
  return (
    typeof PublicKeyCredential !== 'undefined' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    pageConfig.keyOrigins.includes(window.location.origin)
  );
}
