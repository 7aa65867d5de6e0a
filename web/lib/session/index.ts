/** Manages access tokens and sessions in the browser. This is the only module that verifies tokens in the browser. */
export {
  createSessionClient,
  type HeldSession,
  type Session,
  type SessionClient,
  type SessionState,
  type SessionTransport,
} from './client.ts';
export { createSessionEvents, type SessionEvent, type SessionEvents, sessionEvents } from './events.ts';
export { type FaultCode, faultMessages, SessionFault } from './faults.ts';
export { createKeySource, jwksCacheMs, type KeySource } from './jwks.ts';
export { type AccessClaims, verifyAccessToken } from './verify.ts';
