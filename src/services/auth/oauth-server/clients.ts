/** Administers the OAuth server's clients, including dynamic registration (RFC 7591). */

import { randomUUID } from 'node:crypto';
import type { Fields, ReadFields } from '../common/fields.ts';
import type { OAuthClient } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError } from '../errors.ts';
import { deleteSessionsOfClient } from '../sessions/queries.ts';
import { requireOAuthServer } from './authorize.ts';
import { requireGrantable } from './client-credentials.ts';
import { type ClientLogout, frontchannelFault, parseClientLogout } from './client-logout.ts';
import { listClientLogouts, storeClientLogout } from './logout-queries.ts';
import { type MachineClient, machineGrant, parseMachineClient } from './machine-client.ts';
import { deleteMachineClient, listMachineClients, storeMachineClient } from './machine-queries.ts';
import {
  deleteOAuthClient,
  findOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  updateOAuthClient,
} from './queries.ts';
import { isMachineOnly, parseRegistration, parseUpdate } from './registration.ts';
import { clientSecretText, hashClientSecret } from './secrets.ts';

const machineFields = ['scope', 'database_role'];

export interface RegisteredClient {
  readonly client: OAuthClient;
  readonly logout: ClientLogout | undefined;
  /** Undefined if the client isn't a machine-to-machine client. */
  readonly machine: MachineClient | undefined;
  /**
   * The client's secret. Set only if the secret was just generated, because the database stores only the secret's hash.
   */
  readonly secret: string | undefined;
}

/**
 * Registers an app as a client if the app itself sends the registration request.
 * @throws {AuthError} feature_disabled, oauth_dynamic_client_registration_disabled, validation_failed, bad_json
 */
export function registerDynamically(ctx: AuthContext, body: ReadFields): Promise<RegisteredClient> {
  requireOAuthServer(ctx);
  if (!ctx.settings.oauthServer.allowsRegistration) {
    throw authError('oauth_dynamic_client_registration_disabled');
  }
  return insertClient(ctx, body, 'dynamic');
}

export function registerByAdmin(ctx: AuthContext, body: ReadFields): Promise<RegisteredClient> {
  return insertClient(ctx, body, 'manual');
}

export async function listClients(ctx: AuthContext): Promise<RegisteredClient[]> {
  return withOwnMetadata(ctx, await listOAuthClients(ctx.pool));
}

async function withOwnMetadata(
  ctx: AuthContext,
  clients: readonly OAuthClient[],
): Promise<RegisteredClient[]> {
  const ids = clients.map(({ id }) => id);
  const logouts = ctx.hasOwnTables ? await listClientLogouts(ctx.pool, ids) : undefined;
  const machines = ctx.hasOwnTables ? await listMachineClients(ctx.pool, ids) : undefined;
  return clients.map((client) => ({
    client,
    logout: logouts?.get(client.id),
    machine: machines?.get(client.id),
    secret: undefined,
  }));
}

/** Returns a client with the metadata that upstream doesn't have. */
export async function describeClient(ctx: AuthContext, client: OAuthClient): Promise<RegisteredClient> {
  return (await withOwnMetadata(ctx, [client]))[0] as RegisteredClient;
}

/** Finds a client by ID. @throws {AuthError} validation_failed, or oauth_client_not_found with status 404 */
export async function requireOAuthClient(ctx: AuthContext, id: string): Promise<OAuthClient> {
  if (!isUuid(id)) throw authError('validation_failed', 'invalid client_id format');
  const client = await findOAuthClient(ctx.pool, id);
  if (client === undefined) throw authError('oauth_client_not_found');
  return client;
}

/** Updates a client's metadata. @throws {AuthError} validation_failed, bad_json */
export async function updateClient(
  ctx: AuthContext,
  client: OAuthClient,
  body: ReadFields,
): Promise<RegisteredClient> {
  const { logout: previous, machine: previousMachine } = await describeClient(ctx, client);
  const { patch, logout, machine } = reading(body, (fields) => {
    const changed = parseClientLogout(fields, previous);
    const grants = fields.list('grant_types') ?? client.grant_types.split(',');
    const isMachine = grants.includes(machineGrant);
    const hasMachineFields = isMachine && machineFields.some((name) => fields.raw(name) !== undefined);
    const hasOtherFields = changed !== undefined || hasMachineFields;
    return {
      patch: parseUpdate(fields, client.client_type, hasOtherFields),
      logout: changed,
      machine: isMachine ? parseMachineClient(fields, previousMachine) : undefined,
    };
  });
  if (machine !== undefined) await requireGrantable(ctx, machine);
  const redirectUris = patch.redirectUris ?? client.redirect_uris.split(',');
  if (redirectUris.join() === '' && !isMachineOnly(patch.grantTypes ?? client.grant_types.split(','))) {
    throw authError('validation_failed', 'redirect_uris is required');
  }
  await requireNotifiable(ctx, client.registration_type, redirectUris, logout);
  const updated = await ctx.pool.transaction(async (tx) => {
    if (logout !== undefined) await storeClientLogout(tx, client.id, logout);
    if (machine !== undefined) await storeMachineClient(tx, client.id, machine);
    else if (previousMachine !== undefined) await deleteMachineClient(tx, client.id);
    return updateOAuthClient(tx, client.id, patch, ctx.clock.now());
  });
  if (updated === undefined) throw authError('oauth_client_not_found');
  return { client: updated, logout: logout ?? previous, machine, secret: undefined };
}

/** Checks the sign-out metadata. A private address is allowed only if an operator registered the client. */
async function requireNotifiable(
  ctx: AuthContext,
  type: OAuthClient['registration_type'],
  redirectUris: readonly string[],
  logout: ClientLogout | undefined,
): Promise<void> {
  if (logout === undefined) return;
  if (!ctx.hasOwnTables)
    throw authError('validation_failed', 'This database can\u2019t store sign-out metadata');
  const { frontchannelUri } = logout;
  const facts = { redirectUris, accountUrl: ctx.settings.accountUrl() };
  const fault = frontchannelUri === null ? undefined : frontchannelFault(frontchannelUri, facts);
  if (fault !== undefined) throw authError('validation_failed', `frontchannel_logout_uri ${fault}`);
  if (type === 'manual' || logout.backchannelUri === null) return;
  await ctx.outgoing.requirePublic(logout.backchannelUri).catch((cause: unknown) => {
    throw authError('validation_failed', 'backchannel_logout_uri must be a public https URL', { cause });
  });
}

export async function deleteClient(ctx: AuthContext, client: OAuthClient): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    await deleteOAuthClient(tx, client.id, ctx.clock.now());
    if (ctx.hasOwnTables) await deleteMachineClient(tx, client.id);
    // Upstream keeps a deleted client's sessions, although clients can no longer refresh them.
    await deleteSessionsOfClient(tx, client.id);
  });
}

/** Replaces a client's secret. @throws {AuthError} validation_failed for public clients, which have no secret */
export async function regenerateSecret(ctx: AuthContext, client: OAuthClient): Promise<RegisteredClient> {
  if (client.client_type === 'public') {
    throw authError('validation_failed', 'Cannot regenerate secret for public client');
  }
  const secret = clientSecretText();
  const secretHash = hashClientSecret(secret);
  const updated = await updateOAuthClient(ctx.pool, client.id, { secretHash }, ctx.clock.now());
  if (updated === undefined) throw authError('oauth_client_not_found');
  return { ...(await describeClient(ctx, updated)), secret };
}

async function insertClient(
  ctx: AuthContext,
  body: ReadFields,
  registrationType: 'manual' | 'dynamic',
): Promise<RegisteredClient> {
  const registrar = registrationType === 'manual' ? 'operator' : 'app';
  const { registration, logout, machine } = reading(body, (fields) => {
    try {
      const registration = parseRegistration(fields, registrar);
      const isMachine = registration.grantTypes.includes(machineGrant);
      return {
        registration,
        logout: parseClientLogout(fields),
        machine: isMachine ? parseMachineClient(fields) : undefined,
      };
    } catch (error) {
      // As in upstream, the error message contains the original error's status and message.
      if (!(error instanceof AuthError) || error.code !== 'validation_failed') throw error;
      throw authError('validation_failed', `${error.status}: ${error.message}`);
    }
  });
  const secret = registration.clientType === 'confidential' ? clientSecretText() : undefined;
  if (machine !== undefined) await requireGrantable(ctx, machine);
  await requireNotifiable(ctx, registrationType, registration.redirectUris, logout);
  const secretHash = secret === undefined ? null : hashClientSecret(secret);
  const added = { ...registration, id: randomUUID(), registrationType, secretHash };
  const client = await ctx.pool.transaction(async (tx) => {
    if (logout !== undefined) await storeClientLogout(tx, added.id, logout);
    if (machine !== undefined) await storeMachineClient(tx, added.id, machine);
    return insertOAuthClient(tx, added, ctx.clock.now());
  });
  return { client, logout, machine, secret };
}

function reading<T>(body: ReadFields, read: (fields: Fields) => T): T {
  try {
    return read(body());
  } catch (error) {
    const isFaulty = error instanceof AuthError && error.code === 'bad_json';
    throw isFaulty ? authError('bad_json', 'Invalid JSON body') : error;
  }
}
