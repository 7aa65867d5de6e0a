/** Whether this browser, at this address, can make and use keys for this project. */
import { pageConfig } from '../page-config.ts';

export function supportsKeys(): boolean {
  return (
    typeof PublicKeyCredential !== 'undefined' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    pageConfig.keyOrigins.includes(window.location.origin)
  );
}
