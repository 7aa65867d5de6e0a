/** Whether this browser can create and use passkeys for this project at this address. */
import { pageConfig } from '../page-config.ts';

export function supportsKeys(): boolean {
  return (
    typeof PublicKeyCredential !== 'undefined' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    pageConfig.keyOrigins.includes(window.location.origin)
  );
}
