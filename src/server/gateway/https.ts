/** Configures HTTPS for a port. */
import type { Server } from 'node:http';
import type { SecureContext, TlsOptions, Server as TlsServer } from 'node:tls';
import type { Certificates } from '../../base/kernel/tls.ts';

/** The oldest TLS version that is allowed. RFC 8996 deprecates TLS 1.0 and 1.1. */
const minVersion = 'TLSv1.2';

/**
 * @param handshakeTimeout The time, in milliseconds, after which a client that hasn't completed the handshake is
 * disconnected
 */
export const tlsOptions = (certificates: Certificates, handshakeTimeout: number): TlsOptions => ({
  ...certificates.fallback(),
  minVersion,
  handshakeTimeout,
  SNICallback: (serverName: string, done: (error: Error | null, context?: SecureContext) => void) =>
    done(null, certificates.contextFor(serverName)),
});

/** Applies certificate changes to new connections from clients that don't send a server name. */
export function followCertificates(server: Server, certificates: Certificates): void {
  certificates.onChange(() => {
    (server as Server & TlsServer).setSecureContext({ ...certificates.fallback(), minVersion });
  });
}
