/**
 * Accepts tokens from an external issuer as if this project had signed them (`[auth.third_party]`), as in upstream's
 * local stack. The issuer's keys are found through OpenID Connect Discovery. The token must also name the issuer,
 * because Firebase signs tokens for all Firebase projects with the same keys.
 */

import type { Logger } from '../../base/kernel/log.ts';
import type { Outgoing } from '../../base/shared/network/outgoing.ts';
import type { Config } from '../config/index.ts';
import type { Jwk, Key } from './jwk.ts';
import { createRemoteKeySet } from './remote-key-set.ts';
import { type ParsedToken, parseToken } from './verifier.ts';

export interface ThirdParty {
  /**
   * Returns the cached keys that may have signed this token. Fetches newer keys in the background if the cached keys
   * are old or don't include the token's key.
   */
  find(token: ParsedToken): Key[];
  /** Waits for the keys that this token needs. Returns undefined if the keys are already available. Never rejects. */
  prepare(token: string): Promise<void> | undefined;
  /** Fetches the keys in advance, so that the first token doesn't have to wait. Never rejects. */
  warm(): Promise<void>;
  known(): readonly Jwk[];
  /**
   * Returns a number that changes when the issuer's keys have changed. If the cached keys are old, fetches newer keys in
   * the background, because open connections don't present their tokens again.
   */
  generation(): number;
}

/**
 * Returns the URL of the enabled issuer without a trailing slash. The URL is derived from the settings as in the
 * upstream CLI (June 2026). Returns undefined if no issuer is enabled.
 */
export function thirdPartyIssuer(config: Config['auth']['third_party']): string | undefined {
  const { firebase, auth0, aws_cognito, clerk, workos } = config;
  if (firebase.enabled) return `https://securetoken.google.com/${firebase.project_id}`;
  if (auth0.enabled) {
    const region = auth0.tenant_region ? `.${auth0.tenant_region}` : '';
    return `https://${auth0.tenant}${region}.auth0.com`;
  }
  if (aws_cognito.enabled) {
    return `https://cognito-idp.${aws_cognito.user_pool_region}.amazonaws.com/${aws_cognito.user_pool_id}`;
  }
  if (clerk.enabled) return `https://${clerk.domain}`;
  if (workos.enabled) return workos.issuer_url?.replace(/\/+$/, '');
  return undefined;
}

export interface ThirdPartyOptions {
  readonly issuer: string;
  readonly outgoing: Outgoing;
  readonly now: () => number;
  readonly log: Logger;
}

export function createThirdParty({ issuer, outgoing, now, log }: ThirdPartyOptions): ThirdParty {
  // Also accepts the issuer's name from the discovery document, because Auth0 adds a trailing slash to the name.
  let discovered = issuer;
  const keySet = createRemoteKeySet({
    now,
    async fetch() {
      const discovery = await fetchJson(outgoing, `${issuer}/.well-known/openid-configuration`);
      const { jwks_uri: jwksUri, issuer: name } = discovery as { jwks_uri?: unknown; issuer?: unknown };
      if (typeof jwksUri !== 'string')
        throw new Error(`the configuration of ${issuer} doesn't contain the URL of its keys`);
      const document = await fetchJson(outgoing, jwksUri);
      if (typeof name === 'string') discovered = name;
      return document;
    },
  });
  const isOurs = (token: ParsedToken): boolean => {
    const { iss } = token.claims;
    return typeof iss === 'string' && (iss === discovered || iss.replace(/\/$/, '') === issuer);
  };
  let generation = 0;
  const refresh = async (): Promise<void> => {
    const before = JSON.stringify(keySet.known());
    try {
      await keySet.refresh();
      if (JSON.stringify(keySet.known()) !== before) generation++;
    } catch (error) {
      log.warn({ issuer, error }, 'Failed to fetch the keys of the third-party issuer');
    }
  };

  return {
    find(token) {
      if (!isOurs(token)) return [];
      if (keySet.wantsFetch(token)) void refresh();
      return keySet.findKnown(token);
    },
    prepare(text) {
      const token = parseToken(text);
      if ('reason' in token || !isOurs(token) || !keySet.wantsFetch(token)) return undefined;
      return refresh();
    },
    warm: refresh,
    known: keySet.known,
    generation() {
      if (keySet.isOutdated()) void refresh();
      return generation;
    },
  };
}

/**
 * Fetches a JSON document. The URLs in the issuer's document are trusted because the operator has configured the
 * issuer.
 */
async function fetchJson(outgoing: Outgoing, url: string): Promise<unknown> {
  const response = await outgoing.send({ url, reach: 'configured', redirects: 3 });
  if (response.status !== 200) throw new Error(`${url} returned status ${response.status}`);
  return JSON.parse(response.text) as unknown;
}
