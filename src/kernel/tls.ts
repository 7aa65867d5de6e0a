/** Defines the certificates that a port uses for HTTPS. They can change while the port is open. */
import type { Server } from 'node:http';
import type { SecureContext } from 'node:tls';

/** A certificate chain and its private key, as PEM. */
export interface PemPair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** Returns the certificate for clients that don't send a server name. */
  fallback(): PemPair;
  /** Returns the TLS context for a server name (SNI). For an unknown name, returns the fallback's context. */
  contextFor(serverName: string): SecureContext;
  /** Calls the listener after each change of {@link fallback}. */
  onChange(listener: () => void): void;
  /** Returns all certificates. The first one is the fallback. */
  pairs(): readonly PemPair[];
  /** Calls the listener after each change of {@link pairs}. */
  onPairs(listener: () => void): void;
}

/** Whether the server uses HTTPS. */
export const isTlsServer = (server: Server): boolean => 'setSecureContext' in server;

/**
 * Returns the name of the event whose listener receives the socket on which requests arrive. An HTTPS server emits
 * `connection` for the TCP socket, before the handshake.
 */
export const requestSocketEvent = (server: Server): 'connection' | 'secureConnection' =>
  isTlsServer(server) ? 'secureConnection' : 'connection';

/** Returns the scheme of a raw request that has no trusted forwarding headers. */
export const schemeOf = ({ socket }: { readonly socket: object }): 'http' | 'https' =>
  'encrypted' in socket ? 'https' : 'http';
