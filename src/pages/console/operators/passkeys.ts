/**
 * Manages operators' passkeys (WebAuthn level 3). An operator can use a passkey instead of a code from the
 * authenticator app. The authenticator app and its recovery codes remain available as a fallback. Responses are
 * verified by @simplewebauthn/server, which is loaded when the first response arrives.
 */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Queryable } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Operator } from '../sessions.ts';
import type { CreationOptions, CredentialDescriptor, PasskeySummary, RequestOptions } from './contract.ts';
import * as keys from './passkey-queries.ts';
import { findFactor, markProven } from './queries.ts';

/** The fields that the server uses in the result of the browser's `toJSON()`. */
export interface KeyResponse {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject?: string | undefined;
    readonly authenticatorData?: string | undefined;
    readonly signature?: string | undefined;
    readonly transports?: readonly string[] | undefined;
  };
}

export interface Passkeys {
  list(operator: Operator): Promise<PasskeySummary[]>;
  /**
   * Returns the options for `navigator.credentials.create`.
   * @throws {ConsoleError} refused if the operator has no authenticator app as a fallback
   */
  begin(operator: Operator): Promise<CreationOptions>;
  /** Registers the passkey in the browser's response. @throws {ConsoleError} key_refused, taken */
  add(operator: Operator, name: string, response: KeyResponse): Promise<void>;
  /** Returns the options for `navigator.credentials.get`. */
  ask(operator: Operator): Promise<RequestOptions>;
  /** Verifies a response. Returns the name of the passkey. @throws {ConsoleError} key_refused */
  prove(operator: Operator, response: KeyResponse): Promise<string>;
  /** Removes a passkey and returns the passkey's name. @throws {ConsoleError} not_found */
  remove(operator: Operator, id: string): Promise<string>;
}

export interface PasskeyDeps {
  readonly db: Queryable;
  readonly consoleUrl: () => string;
  /** The name that browsers display when the passkey is used. */
  readonly issuer: string;
}

const maxKeys = 10;
const timeoutMs = 300_000;
/** The COSE numbers of ES256, EdDSA and RS256. */
const algorithms = [-7, -8, -257];

/**
 * Returns the WebAuthn relying party. A passkey is bound to a host name. An IP address can't be used as a host name, so
 * it is replaced with `localhost` (WebAuthn level 3, section 5.1.2).
 */
export function partyOf(consoleUrl: string): { id: string; origin: string } {
  const url = new URL(consoleUrl);
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) return { id: url.hostname, origin: url.origin };
  url.hostname = 'localhost';
  return { id: 'localhost', origin: url.origin };
}

export function createPasskeys({ db, consoleUrl, issuer }: PasskeyDeps): Passkeys {
  const text = (bytes: Buffer): string => bytes.toString('base64url');
  const bytesOf = (base64url: string): Buffer => Buffer.from(base64url, 'base64url');

  async function challengeFor(operator: Operator, ceremony: keys.Ceremony): Promise<string> {
    const challenge = randomBytes(32).toString('base64url');
    await keys.keepChallenge(db, operator.sessionId, challenge, ceremony);
    return challenge;
  }
  async function takenFor(operator: Operator, ceremony: keys.Ceremony): Promise<string> {
    const challenge = await keys.takeChallenge(db, operator.sessionId, ceremony);
    if (challenge === undefined) throw new ConsoleError('key_refused');
    return challenge;
  }
  const described = async (operator: Operator): Promise<CredentialDescriptor[]> =>
    (await keys.listPasskeys(db, operator.id)).map(({ id, transports }) => ({
      type: 'public-key',
      id: text(id),
      transports,
    }));

  async function verifiedCredentialId(operator: Operator, response: KeyResponse): Promise<string> {
    const challenge = await takenFor(operator, 'get');
    const key = (await keys.listPasskeys(db, operator.id)).find(({ id }) => text(id) === response.id);
    if (key === undefined) throw new ConsoleError('key_refused');
    const { id, origin } = partyOf(consoleUrl());
    const { clientDataJSON, authenticatorData = '', signature = '' } = response.response;
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const result = await verifyAuthenticationResponse({
      response: {
        id: response.id,
        rawId: response.id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: { id: response.id, publicKey: Uint8Array.from(key.public_key), counter: 0 },
    }).catch(() => undefined);
    if (result?.verified !== true) throw new ConsoleError('key_refused');
    if (!(await keys.countUse(db, key.id, operator.id, result.authenticationInfo.newCounter)))
      throw new ConsoleError('key_refused');
    return key.name;
  }

  return {
    async list(operator) {
      const rows = await keys.listPasskeys(db, operator.id);
      return rows.map(({ id, name, created_at, last_used_at }) => ({
        id: text(id),
        name,
        createdAt: created_at,
        lastUsedAt: last_used_at,
      }));
    },
    async begin(operator) {
      const factor = await findFactor(db, operator.id);
      if (factor?.confirmed !== true)
        throw new ConsoleError('refused', {
          message:
            'Set up an authenticator app first. Its recovery codes let you sign in without the passkey.',
        });
      const excluded = await described(operator);
      if (excluded.length >= maxKeys)
        throw new ConsoleError('refused', {
          message: `You already have ${maxKeys} passkeys, which is the maximum. Remove one before you add another.`,
        });
      return {
        rp: { id: partyOf(consoleUrl()).id, name: issuer },
        user: {
          id: Buffer.from(operator.id).toString('base64url'),
          name: operator.name,
          displayName: operator.name,
        },
        challenge: await challengeFor(operator, 'create'),
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: timeoutMs,
        excludeCredentials: excluded,
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
        attestation: 'none',
      };
    },
    async add(operator, name, response) {
      const challenge = await takenFor(operator, 'create');
      const { id, origin } = partyOf(consoleUrl());
      const { clientDataJSON, attestationObject = '', transports = [] } = response.response;
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const result = await verifyRegistrationResponse({
        response: {
          id: response.id,
          rawId: response.id,
          type: 'public-key',
          response: { clientDataJSON, attestationObject },
          clientExtensionResults: {},
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      }).catch(() => undefined);
      if (result?.verified !== true) throw new ConsoleError('key_refused');
      const { credential } = result.registrationInfo;
      const isNew = await keys.addPasskey(db, operator.id, {
        id: bytesOf(credential.id),
        name,
        public_key: Buffer.from(credential.publicKey),
        sign_count: credential.counter,
        transports: [...transports],
      });
      if (!isNew) throw new ConsoleError('taken', { message: 'You already added this passkey.' });
    },
    async ask(operator) {
      return {
        rpId: partyOf(consoleUrl()).id,
        challenge: await challengeFor(operator, 'get'),
        allowCredentials: await described(operator),
        timeout: timeoutMs,
        userVerification: 'required',
      };
    },
    async prove(operator, response) {
      const name = await verifiedCredentialId(operator, response);
      await markProven(db, operator.sessionId);
      return name;
    },
    async remove(operator, id) {
      const name = await keys.removePasskey(db, bytesOf(id), operator.id);
      if (name === undefined) throw new ConsoleError('not_found', { message: "This passkey doesn't exist." });
      return name;
    },
  };
}
