/** Issues tokens for the grant client_credentials (RFC 6749 section 4.4). */

import { randomUUID } from 'node:crypto';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import type { OAuthClient } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { authError, OAuthShapedError } from '../errors.ts';
import {
  type MachineClient,
  machineGrant,
  machineTokenClaims,
  machineTokenSeconds,
  scopesOfToken,
} from './machine-client.ts';
import { isRoleForClients, listMachineClients } from './machine-queries.ts';
import type { TokenParams } from './requests.ts';

export interface MachineToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly scope: string;
}

/**
 * Issues a token to a client that has authenticated with its secret.
 * @throws {OAuthShapedError} unauthorized_client, invalid_scope
 * @throws {AuthError} over_request_rate_limit
 */
export async function grantToMachine(
  ctx: AuthContext,
  caller: Caller,
  client: OAuthClient,
  params: TokenParams,
): Promise<MachineToken> {
  const machine = ctx.hasOwnTables
    ? (await listMachineClients(ctx.pool, [client.id])).get(client.id)
    : undefined;
  if (machine === undefined || client.client_type !== 'confidential') {
    throw new OAuthShapedError(
      'unauthorized_client',
      `Client is not allowed to use grant type: ${machineGrant}`,
    );
  }
  await ctx.limits.machineToken(client.id, ctx.clock.now());
  const scopes = scopesOfToken(machine, params('scope'));
  if (scopes === undefined) throw new OAuthShapedError('invalid_scope', 'a requested scope is not granted');
  // An operator can change the role's attributes and memberships, and the admin roles, after granting the role.
  if (!(await isGrantable(ctx, machine))) {
    throw new OAuthShapedError('unauthorized_client', `The database role '${machine.role}' can't be used`);
  }
  const actor = { id: client.id, username: client.client_name ?? '', viaSso: false, name: undefined };
  const traits = { client_id: client.id, scope: scopes.join(' '), role: machine.role };
  await audit(ctx, ctx.pool, actor, { action: 'client_token_issued', traits, ip: caller.ip });
  const claims = machineTokenClaims({
    issuer: ctx.settings.issuer(),
    audience: ctx.settings.audience,
    clientId: client.id,
    role: machine.role,
    scopes,
    tokenId: randomUUID(),
    issuedAtSeconds: Math.floor(ctx.clock.now() / 1000),
  });
  return {
    accessToken: ctx.keys.sign(claims),
    expiresInSeconds: machineTokenSeconds,
    scope: scopes.join(' '),
  };
}

/** @throws {AuthError} validation_failed if a client can't have the role */
export async function requireGrantable(ctx: AuthContext, machine: MachineClient): Promise<void> {
  if (!ctx.hasOwnTables) {
    throw authError('validation_failed', 'This database can\u2019t store machine-to-machine clients');
  }
  if (await isGrantable(ctx, machine)) return;
  throw authError(
    'validation_failed',
    `database_role '${machine.role}' must be a role that API requests can use, without special attributes`,
  );
}

const isGrantable = async (ctx: AuthContext, { role }: MachineClient): Promise<boolean> =>
  !ctx.settings.adminRoles.includes(role) && (await isRoleForClients(ctx.pool, role));
