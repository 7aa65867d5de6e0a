/**
 * Operators' passkeys (WebAuthn level 3). A passkey replaces the authenticator app's code; the app and its recovery codes remain
 * the fallback. @simplewebauthn/server verifies the responses and is loaded with the first one.
 */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Queryable } from '../../database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Operator } from '../sessions.ts';
import type { CreationOptions, CredentialDescriptor, PasskeySummary, RequestOptions } from './contract.ts';
import * as keys from './passkey-queries.ts';
import { findFactor, markProven } from './queries.ts';

/** The fields of the browser's `toJSON()` that are used. */
export interface KeyAnswer {
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
   * Options for `navigator.credentials.create`. @throws {ConsoleError} refused, if there is no authenticator app as a
   * fallback
   */
  begin(operator: Operator): Promise<CreationOptions>;
  /** @throws {ConsoleError} key_refused, taken */
  add(operator: Operator, name: string, answer: KeyAnswer): Promise<void>;
  /** Options for `navigator.credentials.get`. */
  ask(operator: Operator): Promise<RequestOptions>;
  /** Returns the key's name. @throws {ConsoleError} key_refused */
  prove(operator: Operator, answer: KeyAnswer): Promise<string>;
  /** Returns the key's name. @throws {ConsoleError} not_found */
  remove(operator: Operator, id: string): Promise<string>;
}

export interface PasskeyDeps {
  readonly db: Queryable;
  readonly consoleUrl: () => string;
  /** The name that the browser shows. */
  readonly issuer: string;
}

const mostKeys = 10;
const timeoutMs = 300_000;
/** ES256, EdDSA, RS256 (COSE). */
const algorithms = [-7, -8, -257];

/** Passkeys belong to a host name. For an IP address, that is `localhost` (WebAuthn level 3, section 5.1.2). */
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

  async function judged(operator: Operator, answer: KeyAnswer): Promise<string> {
    const challenge = await takenFor(operator, 'get');
    const key = (await keys.listPasskeys(db, operator.id)).find(({ id }) => text(id) === answer.id);
    if (key === undefined) throw new ConsoleError('key_refused');
    const { id, origin } = partyOf(consoleUrl());
    const { clientDataJSON, authenticatorData = '', signature = '' } = answer.response;
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const result = await verifyAuthenticationResponse({
      response: {
        id: answer.id,
        rawId: answer.id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: { id: answer.id, publicKey: Uint8Array.from(key.public_key), counter: 0 },
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
      if (excluded.length >= mostKeys)
        throw new ConsoleError('refused', { message: `You have ${mostKeys} passkeys, which is the most.` });
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
    async add(operator, name, answer) {
      const challenge = await takenFor(operator, 'create');
      const { id, origin } = partyOf(consoleUrl());
      const { clientDataJSON, attestationObject = '', transports = [] } = answer.response;
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const result = await verifyRegistrationResponse({
        response: {
          id: answer.id,
          rawId: answer.id,
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
    async prove(operator, answer) {
      const name = await judged(operator, answer);
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
