/**
 * Manages the port for unencrypted HTTP, and the certificates for the HTTPS ports (from files, from an ACME server or
 * generated).
 */

import type { Logger } from '../../base/kernel/log.ts';
import type { Health } from '../../base/kernel/service.ts';
import { orderCertificate } from './acme/order.ts';
import { createRenewals, type Renewals } from './acme/renewals.ts';
import { openAcmeStore } from './acme/store.ts';
import { type CertificateTable, createCertificateTable } from './certificate-table.ts';
import { readKeyPair } from './core/key-pair.ts';
import { type Backoff, expiryHealth, standardBackoff } from './core/renewal.ts';
import { createFilePairs, type FilePairs } from './file-pairs.ts';
import { createHttpPort, type HttpPort } from './http-port.ts';
import { createSelfSigned, openSelfSigned } from './self-signed.ts';
import type { HttpPortSettings, Tls, TlsSource } from './types.ts';

export { createReceivedCertificates, type ReceivedCertificates } from './certificate-table.ts';
export { CertificateError, minVersion } from './core/key-pair.ts';
export { selfSignedCertPath } from './self-signed.ts';
export type { CertificateStatus, Tls, TlsSource, TlsStatus } from './types.ts';

export interface TlsDeps {
  readonly source: TlsSource;
  /** Undefined if the server doesn't open a port for unencrypted HTTP. */
  readonly http: HttpPortSettings | undefined;
  readonly dataDir: string;
  readonly log: Logger;
  readonly now: () => number;
  readonly random?: () => number;
  /** The delays after failed attempts to obtain a certificate. */
  readonly backoff?: Backoff;
}

/** The parts that depend on the source of the certificates. */
interface Source {
  load(): Promise<void>;
  start(): void;
  reload(): Promise<void>;
  stop(): void;
  /** Returns messages about problems that don't affect requests yet. */
  problems(): readonly string[];
  isFailing(): boolean;
}

export function createTls(deps: TlsDeps): Tls {
  const { source, http, log, now } = deps;
  const slots = slotsOf(source);
  const table = createCertificateTable(slots);
  const port = http === undefined ? undefined : createHttpPort(http.originOf);
  const certificates = createSource(deps, table, port);
  return {
    certificates: table,
    load: () => certificates.load(),
    async start() {
      if (http !== undefined) {
        const opened = await port?.listen(http.host, http.port);
        log.info({ host: http.host, port: opened }, 'redirecting HTTP to HTTPS');
      }
      certificates.start();
    },
    async reload() {
      await certificates.reload();
      return certificates.problems();
    },
    stop() {
      certificates.stop();
      port?.close();
    },
    health() {
      const expiries = slots.flatMap((slot) => {
        const pair = table.get(slot);
        return pair === undefined ? [] : [expiryHealth(slot, pair, now())];
      });
      const problems = certificates.problems().map((message): Health => ({ status: 'degraded', message }));
      const all = [...expiries, ...problems];
      return (
        all.find(({ status }) => status === 'failing') ??
        all.find(({ status }) => status === 'degraded') ?? { status: 'ok' }
      );
    },
    status: () => ({
      certificates: slots.flatMap((name) => {
        const pair = table.get(name);
        return pair === undefined ? [] : [{ name, expiresAtMs: pair.notAfter }];
      }),
      isFailing: certificates.isFailing(),
    }),
  };
}

const selfSignedSlot = 'self-signed';

function slotsOf(source: TlsSource): readonly string[] {
  if (source.kind === 'acme') return source.domains;
  return source.kind === 'files' ? source.files.map(({ slot }) => slot) : [selfSignedSlot];
}

function createSource(deps: TlsDeps, table: CertificateTable, port: HttpPort | undefined): Source {
  const { source, dataDir, log, now } = deps;
  switch (source.kind) {
    case 'files':
      return fromFiles(createFilePairs({ files: source.files, table, log, now }));
    case 'self-signed':
      return {
        load: async () => table.set(selfSignedSlot, await openSelfSigned(dataDir, source.names, now())),
        start: () => undefined,
        reload: async () => undefined,
        stop: () => undefined,
        problems: () => [],
        isFailing: () => false,
      };
    case 'acme': {
      const { domains, server } = source;
      if (port === undefined) throw new Error('ACME challenges require the HTTP port');
      const store = openAcmeStore(dataDir, server.directory);
      const renewals = createRenewals({
        domains,
        table,
        store,
        order: (domain) => orderCertificate(domain, server, store, port.publish),
        now,
        random: deps.random ?? Math.random,
        backoff: deps.backoff ?? standardBackoff,
        log,
      });
      return fromAcme(renewals, domains, table, now);
    }
  }
}

const fromFiles = (pairs: FilePairs): Source => ({
  load: () => pairs.load(),
  start: () => pairs.watch(),
  reload: () => pairs.check(true),
  stop: () => pairs.stop(),
  problems: () =>
    [...pairs.faults()].map(
      ([slot, fault]) =>
        `The new certificate for ${slot} isn't used. ${fault} The previous one is still served.`,
    ),
  isFailing: () => pairs.faults().size > 0,
});

function fromAcme(
  renewals: Renewals,
  domains: readonly string[],
  table: CertificateTable,
  now: () => number,
): Source {
  return {
    async load() {
      const missing = renewals.load();
      if (missing.length === 0) return;
      const temporary = readKeyPair(await createSelfSigned(missing, now()));
      for (const domain of missing) table.set(domain, temporary);
    },
    start: () => renewals.start(),
    reload: async () => undefined,
    stop: () => renewals.stop(),
    problems: () =>
      domains
        .filter((domain) => renewals.isMissing(domain))
        .map((domain) => `${domain} has no certificate yet, so a self-signed one is served.`),
    isFailing: () => renewals.isFailing(),
  };
}
