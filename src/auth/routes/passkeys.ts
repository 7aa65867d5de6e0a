/** /passkeys: registering, signing in with, and managing passkeys. */
import { authError } from '../errors.ts';
import type { Define } from './route.ts';

export function passkeyRoutes(define: Define): void {
  const routes = [
    ['POST', '/passkeys/registration/options'],
    ['POST', '/passkeys/registration/verify'],
    ['POST', '/passkeys/authentication/options'],
    ['POST', '/passkeys/authentication/verify'],
    ['GET', '/passkeys'],
    ['PATCH', '/passkeys/:id'],
    ['DELETE', '/passkeys/:id'],
  ] as const;
  for (const [method, path] of routes) {
    define(method, path, () => {
      throw authError('passkey_disabled');
    });
  }
}
