/** Obtains a certificate from an ACME server (RFC 8555) with the HTTP-01 challenge. */
import type { PemPair } from '../../../base/kernel/tls.ts';
import type { AcmeStore } from './store.ts';

export interface AcmeServer {
  readonly directory: string;
  readonly email: string | undefined;
  readonly acceptTerms: boolean;
  /** Binds the ACME account to an account at the certificate authority (RFC 8555 section 7.3.4). */
  readonly externalAccount?: { readonly kid: string; readonly hmacKey: string } | undefined;
}

/**
 * A function that publishes the response to a challenge. This function returns another function, which withdraws the
 * response.
 */
export type PublishChallenge = (token: string, response: string) => () => void;

const requestTimeoutMs = 30_000;
/** The delays between requests for an order's state, which increase from 0.5 s to 15 s. */
const polling = { backoffAttempts: 20, backoffMin: 500, backoffMax: 15_000 };

/** Obtains a certificate. @throws {Error} with the reason, such as the ACME server's problem document */
export async function orderCertificate(
  domain: string,
  { directory, email, acceptTerms, externalAccount }: AcmeServer,
  store: AcmeStore,
  publish: PublishChallenge,
): Promise<PemPair> {
  const { default: acme } = await import('acme-client');
  // Single requests aren't retried, because a failed order is retried as a whole.
  Object.assign(acme.axios.defaults, { timeout: requestTimeoutMs, acmeSettings: { retryMaxAttempts: 0 } });
  let accountKey = store.accountKey();
  if (accountKey === undefined) {
    accountKey = (await acme.crypto.createPrivateEcdsaKey()).toString();
    store.saveAccountKey(accountKey);
  }
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey,
    ...(externalAccount === undefined ? {} : { externalAccountBinding: externalAccount }),
    ...polling,
  });
  const [key, csr] = await acme.crypto.createCsr(
    { altNames: [domain] },
    await acme.crypto.createPrivateEcdsaKey(),
  );
  const published = new Map<string, () => void>();
  const cert = await client.auto({
    csr,
    ...(email === undefined ? {} : { email }),
    termsOfServiceAgreed: acceptTerms,
    challengePriority: ['http-01'],
    // Skips acme-client's check of the challenge, because this machine may be unable to reach its own public address.
    skipChallengeVerification: true,
    challengeCreateFn: async (_authorization, { type, token }, response) => {
      if (type !== 'http-01')
        throw new Error(`${domain}: the ACME server doesn't offer an HTTP-01 challenge.`);
      published.set(token, publish(token, response));
    },
    challengeRemoveFn: async (_authorization, { token }) => published.get(token)?.(),
  });
  return { cert, key: key.toString() };
}
