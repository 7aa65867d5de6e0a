/** The certificates that a port uses for HTTPS. The certificates can change while the port is open. */
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
  /** Returns the TLS context for a server name (SNI). Returns the fallback's context if the server name is unknown. */
  contextFor(serverName: string): SecureContext;
  /** Calls the listener after each change of {@link fallback}. */
  onChange(listener: () => void): void;
  /** Returns all certificates. The first pair is the fallback. */
  pairs(): readonly PemPair[];
  /** Calls the listener after each change of {@link pairs}. */
  onPairs(listener: () => void): void;
}

/** Whether the server uses HTTPS. */
export const isTlsServer = (server: Server): boolean => 'setSecureContext' in server;

/**
 * Returns the name of the server event that provides the socket on which requests arrive. An HTTPS server emits
 * `connection` with the TCP socket, before the TLS handshake.
 */
export const requestSocketEvent = (server: Server): 'connection' | 'secureConnection' =>
  isTlsServer(server) ? 'secureConnection' : 'connection';

/** Returns the scheme of a raw request that has no trusted forwarding headers. */
export const schemeOf = ({ socket }: { readonly socket: object }): 'http' | 'https' =>
  'encrypted' in socket ? 'https' : 'http';
