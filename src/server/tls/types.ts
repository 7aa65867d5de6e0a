/** Defines the settings and the state of the server's HTTPS. */
import type { Health } from '../../base/kernel/service.ts';
import type { Certificates } from '../../base/kernel/tls.ts';
import type { AcmeServer } from './acme/order.ts';
import type { PairFiles } from './file-pairs.ts';
import type { OriginOf } from './http-port.ts';

export type TlsSource =
  | { readonly kind: 'files'; readonly files: readonly PairFiles[] }
  /** A generated certificate for these names. */
  | { readonly kind: 'self-signed'; readonly names: readonly string[] }
  | { readonly kind: 'acme'; readonly domains: readonly string[]; readonly server: AcmeServer };

export interface CertificateStatus {
  readonly name: string;
  readonly expiresAtMs: number;
}

export interface TlsStatus {
  readonly certificates: readonly CertificateStatus[];
  /** Whether new certificate files were rejected, or the latest attempt to obtain a certificate failed. */
  readonly isFailing: boolean;
}

export interface Tls {
  readonly certificates: Certificates;
  /** Loads the certificates. Must be called before a port opens. @throws {CertificateError} */
  load(): Promise<void>;
  /** Opens the port for HTTP, then keeps the certificates up to date. */
  start(): Promise<void>;
  /** Rereads the certificate files immediately. Returns their problems. */
  reload(): Promise<readonly string[]>;
  stop(): void;
  health(): Health;
  status(): TlsStatus;
}

export interface HttpPortSettings {
  readonly host: string;
  readonly port: number;
  readonly originOf: OriginOf;
}
