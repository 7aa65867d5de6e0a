/**
 * The OAuth clients that operators have approved. A grant has at most its operator's permissions, and ends if it
 * expires, is revoked or its operator is removed. A reused code or refresh token counts as stolen and ends the grant.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../../../platform/database/types.ts';
import type { Audit } from '../../audit.ts';
import type { OperatorRole } from '../../core/roles.ts';
import type { OperatorRow } from '../../queries.ts';
import { destinationOf } from './clients.ts';
import { OAuthError } from './errors.ts';
import * as queries from './queries.ts';
import type { AuthorizationRequest } from './requests.ts';

/** The time in which a client must exchange its code. */
const codeLifetimeSeconds = 120;
const accessLifetimeSeconds = 3600;
/**
 * The time in which a replaced refresh token is still accepted. Programs that share stored tokens often refresh them at
 * the same time.
 */
const refreshReuseSeconds = 10;
/** The time for which a replaced refresh token is kept to detect its reuse. */
const replacedRetentionSeconds = 7 * 24 * 3600;

const accessPrefix = 'plinth_at_';
const refreshPrefix = 'plinth_rt_';
const codePrefix = 'plinth_code_';

export interface Approval {
  readonly role: OperatorRole;
  readonly isReadOnly: boolean;
  readonly lifetimeSeconds: number;
}

/** The response of the token endpoint (RFC 6749 section 5.1). */
export interface IssuedTokens {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** The operator who acts in the Console, and the operator's request. */
interface By {
  readonly operator: OperatorRow;
  readonly request: { readonly id: string };
}

/** A request from a client. */
type ClientRequest = { readonly id: string };

export interface Grants {
  /** Stores the operator's approval and returns the authorization code. */
  approve(by: By, request: AuthorizationRequest, approval: Approval): Promise<string>;
  /** Exchanges an authorization code for tokens. @throws {OAuthError} invalid_grant */
  redeem(
    code: {
      readonly code: string;
      readonly clientId: string;
      readonly redirectUri: string;
      readonly verifier: string;
    },
    request: ClientRequest,
  ): Promise<IssuedTokens>;
  /** Exchanges a refresh token for new tokens. @throws {OAuthError} invalid_grant */
  refresh(token: string, clientId: string, request: ClientRequest): Promise<IssuedTokens>;
  /** Revokes a token of the client (RFC 7009). A refresh token ends the grant. Returns false if unknown. */
  revokeToken(token: string, clientId: string, request: ClientRequest): Promise<boolean>;
  /** Returns the grant to which an access token belongs. Returns undefined if it was revoked or never existed. */
  find(token: string): Promise<queries.GrantUse | undefined>;
  /** Lists the grants of one operator or, if `operatorId` is undefined, of all operators. */
  list(operatorId: string | undefined): Promise<queries.GrantRow[]>;
  /**
   * Ends a grant in the Console. Returns false if the grant has already ended or doesn't belong to `operatorId`. If
   * `operatorId` is undefined, the grant of any operator can be ended.
   */
  revoke(by: By, id: string, operatorId: string | undefined): Promise<boolean>;
}

export const isAgentToken = (text: string): boolean => /^plinth_at_[\w-]{43}$/.test(text);

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
const secret = (prefix: string): string => prefix + randomBytes(32).toString('base64url');

export function createGrants({ db, audit }: { readonly db: Queryable; readonly audit: Audit }): Grants {
  const lifetimes = { accessSeconds: accessLifetimeSeconds };

  /** Ends a grant and records the reason. */
  async function end(grant: queries.GrantOwner, request: ClientRequest, reason: string): Promise<void> {
    if ((await queries.deleteGrant(db, grant.grant_id)) === undefined) return;
    const operator = { id: grant.operator_id, name: grant.operator_name };
    await audit({ operator, request }, 'agent.revoke', grant.client_name, {
      operator: operator.name,
      reason,
    });
  }

  return {
    async approve(by, { client, redirectUri, codeChallenge }, { role, isReadOnly, lifetimeSeconds }) {
      const code = secret(codePrefix);
      const destination = destinationOf(redirectUri);
      const { expires_at } = await queries.insertGrant(db, {
        operatorId: by.operator.id,
        clientName: client.name,
        clientHash: hash(client.id),
        destination,
        role,
        isReadOnly,
        lifetimeSeconds,
        codeHash: hash(code),
        codeChallenge,
        redirectUri,
        codeLifetimeSeconds,
      });
      await audit(by, 'agent.connect', client.name, { destination, role, read_only: isReadOnly, expires_at });
      return code;
    },
    async redeem({ code, clientId, redirectUri, verifier }, request) {
      const found = await queries.findCode(db, hash(code), hash(clientId));
      const unknown = new OAuthError('invalid_grant', 'The code is invalid or expired.');
      if (found === undefined) throw unknown;
      if (!found.is_used) {
        if (found.redirect_uri !== redirectUri)
          throw new OAuthError('invalid_grant', 'redirect_uri differs from the authorization request.');
        if (createHash('sha256').update(verifier).digest('base64url') !== found.code_challenge)
          throw new OAuthError('invalid_grant', "code_verifier doesn't match code_challenge.");
        const [access, refresh] = [secret(accessPrefix), secret(refreshPrefix)];
        const hashes = { access: hash(access), refresh: hash(refresh) };
        const issued = await queries.takeCode(db, { codeHash: hash(code), hashes, ...lifetimes });
        if (issued !== undefined) return tokensOf(access, refresh, issued);
      }
      await end(found, request, 'its code was used twice');
      throw unknown;
    },
    async refresh(token, clientId, request) {
      const [access, refresh] = [secret(accessPrefix), secret(refreshPrefix)];
      const [tokenHash, clientHash] = [hash(token), hash(clientId)];
      const issued = await queries.replaceRefreshToken(db, {
        tokenHash,
        clientHash,
        hashes: { access: hash(access), refresh: hash(refresh) },
        reuseSeconds: refreshReuseSeconds,
        retentionSeconds: replacedRetentionSeconds,
        ...lifetimes,
      });
      if (issued !== undefined) return tokensOf(access, refresh, issued);
      const owner = await queries.findToken(db, tokenHash, clientHash);
      if (owner?.is_replaced === true) await end(owner, request, 'its refresh token was used twice');
      throw new OAuthError('invalid_grant', 'The refresh token is invalid, expired or revoked.');
    },
    async revokeToken(token, clientId, request) {
      const owner = await queries.findToken(db, hash(token), hash(clientId));
      if (owner === undefined) return false;
      if (owner.kind === 'refresh') await end(owner, request, 'revoked by the client');
      else await queries.deleteAccessToken(db, hash(token));
      return true;
    },
    find: (token) => queries.findGrantOf(db, hash(token)),
    list: (operatorId) => queries.listGrants(db, operatorId),
    async revoke(by, id, operatorId) {
      const ended = await queries.deleteGrant(db, id, operatorId);
      if (ended === undefined) return false;
      await audit(by, 'agent.revoke', ended.client_name, { operator: ended.operator_name });
      return true;
    },
  };
}

const tokensOf = (access: string, refresh: string, issued: queries.Issued): IssuedTokens => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: issued.access_seconds,
  refresh_token: refresh,
  scope: issued.is_read_only ? 'read' : 'read write',
});
