/**
 * Machine-to-machine clients, which request tokens on their own behalf (RFC 6749 section 4.4, decision 142). An operator
 * grants a client scopes and a database role. This file parses these settings and builds the token's claims.
 */

import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { authError } from '../errors.ts';
import { isSupportedScope, parseScopes } from './scopes.ts';

export const machineGrant = 'client_credentials';

export interface MachineClient {
  readonly scopes: readonly string[];
  readonly role: string;
}

/** The role of requests that contain only a publishable key. A client has no other rights unless an operator grants them. */
const defaultRole = 'anon';

/** The characters of a scope (RFC 6749 section 3.3). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/;
const maxScopes = 100;
const maxRoleBytes = 63;

/**
 * Parses the settings of a client with this grant. Fields that are missing in the request keep their previous values.
 * Doesn't check whether the role exists.
 * @throws {AuthError} bad_json, validation_failed
 */
export function parseMachineClient(fields: Fields, previous?: MachineClient): MachineClient {
  const scope = fields.optionalText('scope');
  const role = fields.optionalText('database_role');
  return {
    scopes: scope === undefined ? (previous?.scopes ?? []) : grantedScopes(scope),
    role: role === undefined ? (previous?.role ?? defaultRole) : nameOfRole(role),
  };
}

function grantedScopes(text: string): string[] {
  const scopes = [...new Set(parseScopes(text))];
  if (scopes.length > maxScopes) throw invalid(`scope cannot contain more than ${maxScopes} scopes`);
  const faulty = scopes.find((scope) => !scopePattern.test(scope) || isSupportedScope(scope));
  if (faulty === undefined) return scopes;
  throw invalid(
    isSupportedScope(faulty)
      ? `scope '${faulty}' is for users and can't be granted to a client`
      : `invalid scope '${faulty}'`,
  );
}

function nameOfRole(text: string): string {
  if (text === '') return defaultRole;
  if (Buffer.byteLength(text) > maxRoleBytes || text.includes('\0')) throw invalid('invalid database_role');
  return text;
}

/**
 * Returns the scopes of a token: the requested ones, or all granted ones if the request doesn't name any. Returns
 * undefined if a requested scope isn't granted.
 */
export function scopesOfToken({ scopes }: MachineClient, requested: string): readonly string[] | undefined {
  const wanted = [...new Set(parseScopes(requested))];
  if (wanted.length === 0) return scopes;
  return wanted.every((scope) => scopes.includes(scope)) ? wanted : undefined;
}

/**
 * The lifetime of a machine token. Services verify tokens without a query, so this is also how long a token of a deleted
 * client remains valid.
 */
export const machineTokenSeconds = 300;

/**
 * Builds the claims of a machine token. It has no `sub`, because it doesn't belong to a user: `auth.uid()` is null, so
 * policies for the rows of a user match nothing, and auth rejects the token wherever it expects a user.
 */
export function machineTokenClaims(input: {
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
  readonly role: string;
  readonly scopes: readonly string[];
  readonly tokenId: string;
  readonly issuedAtSeconds: number;
}): JsonObject {
  return {
    iss: input.issuer,
    aud: input.audience,
    exp: input.issuedAtSeconds + machineTokenSeconds,
    iat: input.issuedAtSeconds,
    jti: input.tokenId,
    role: input.role,
    client_id: input.clientId,
    scope: input.scopes.join(' '),
  };
}

export const renderMachineClient = (machine: MachineClient | undefined): JsonObject =>
  machine === undefined ? {} : { scope: machine.scopes.join(' '), database_role: machine.role };

function invalid(message: string) {
  return authError('validation_failed', message);
}
