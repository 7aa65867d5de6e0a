/** Obtains and renews the certificates of all domains, one at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../base/kernel/log.ts';
import type { PemPair } from '../../../base/kernel/tls.ts';
import type { CertificateTable } from '../certificate-table.ts';
import { readKeyPair } from '../core/key-pair.ts';
import { type Backoff, renewalTime, retryDelay } from '../core/renewal.ts';
import type { AcmeStore } from './store.ts';

export interface RenewalsDeps {
  readonly domains: readonly string[];
  readonly table: CertificateTable;
  readonly store: AcmeStore;
  readonly order: (domain: string) => Promise<PemPair>;
  readonly now: () => number;
  readonly random: () => number;
  readonly backoff: Backoff;
  readonly log: Logger;
}

export interface Renewals {
  /** Loads the stored certificates. Returns the domains without a stored certificate. */
  load(): readonly string[];
  start(): void;
  /** Whether a domain still has no certificate from the ACME server. */
  isMissing(domain: string): boolean;
  /** Whether the latest attempt to obtain a certificate failed for any domain. */
  isFailing(): boolean;
  stop(): void;
}

interface Plan {
  readonly domain: string;
  isMissing: boolean;
  dueAt: number;
  failures: number;
}

/**
 * The maximum delay between checks of the clock. The delay is limited because the clock may be changed and the machine
 * may be suspended.
 */
const maxSleepMs = 60 * 60_000;

export function createRenewals(deps: RenewalsDeps): Renewals {
  const { domains, table, store, order, now, random, backoff, log } = deps;
  const stopped = new AbortController();
  const plans = domains.map((domain): Plan => ({ domain, isMissing: true, dueAt: 0, failures: 0 }));

  async function renew(plan: Plan): Promise<void> {
    const { domain } = plan;
    try {
      const issued = await order(domain);
      if (stopped.signal.aborted) return;
      const pair = readKeyPair(issued);
      table.set(domain, pair);
      plan.isMissing = false;
      plan.failures = 0;
      // If the clock is wrong, the new certificate may already be due. The minimum delay is necessary because ACME
      // servers limit the number of orders.
      plan.dueAt = Math.max(renewalTime(pair, random()), now() + backoff.firstMs);
      const times = { expiresAt: iso(pair.notAfter), renewsAt: iso(plan.dueAt) };
      log.info({ domain, ...times }, 'obtained a certificate');
      save(domain, issued);
    } catch (error) {
      if (stopped.signal.aborted) return;
      plan.failures += 1;
      plan.dueAt = now() + retryDelay(plan.failures, random(), backoff);
      log.error({ domain, error, retryAt: iso(plan.dueAt) }, "couldn't obtain a certificate");
    }
  }

  /**
   * Stores a certificate. If the certificate can't be stored, for example because the disk is full, it is still used
   * until the process stops.
   */
  function save(domain: string, issued: PemPair): void {
    try {
      store.saveCertificate(domain, issued);
    } catch (error) {
      log.error({ domain, error }, "couldn't save the certificate, so the next start orders another one");
    }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const next = plans.reduce((first, plan) => (plan.dueAt < first.dueAt ? plan : first));
      const waitMs = next.dueAt - now();
      if (waitMs <= 0) await renew(next);
      else await sleep(Math.min(waitMs, maxSleepMs), undefined, { signal: stopped.signal, ref: false });
    }
  }

  return {
    load() {
      for (const plan of plans) {
        const pair = store.certificate(plan.domain);
        if (pair === undefined || pair.notAfter <= now()) continue;
        table.set(plan.domain, pair);
        plan.isMissing = false;
        plan.dueAt = renewalTime(pair, random());
      }
      return plans.filter(({ isMissing }) => isMissing).map(({ domain }) => domain);
    },
    // The promise is rejected only if the renewals are stopped during the delay.
    start: () => void run().catch(() => undefined),
    isMissing: (domain) => plans.some((plan) => plan.domain === domain && plan.isMissing),
    isFailing: () => plans.some(({ failures }) => failures > 0),
    stop: () => stopped.abort(),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
