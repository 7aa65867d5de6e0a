/** Administers users for other modules in this process, and runs the same code as the routes under `/auth/v1/admin`. */

import { recover } from '../codes/send.ts';
import type { AdminCaller } from '../common/caller.ts';
import { withDeadline } from '../common/deadline.ts';
import { fieldsOf } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { fallbackCode, logInternal, publicError, publicPostgresError } from '../common/public-errors.ts';
import { renderUser } from '../common/render-user.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { AuthContext } from '../context.ts';
import { deleteFactorByAdmin, requireFactor } from '../factors/manage.ts';
import { resetFactorsByAdmin } from '../factors/removals.ts';
import { unlinkIdentityByAdmin } from '../providers/identities.ts';
import { renderEvent } from '../security-events/events.ts';
import { listUserEvents } from '../security-events/record.ts';
import {
  endAllSessions,
  endSessionByAdmin,
  listPlaces,
  listUserSessions,
  renderSessionEntry,
  renderSessionPlace,
} from '../sessions/own-sessions.ts';
import type { SamlInspection } from '../sso/metadata.ts';
import { renderUserKey } from '../user-keys/render.ts';
import { createByAdmin } from './create-user.ts';
import { deleteByAdmin } from './delete-user.ts';
import { generateLink, invite } from './links.ts';
import { updateByAdmin } from './update-user.ts';
import { requireTarget } from './users.ts';

/** Loads the code for SAML when it's first needed, because few projects use it. */
const loadSaml = () => import('../sso/metadata.ts');

/** Loads the code for users' API keys when it's first needed. */
const loadKeys = () => import('../user-keys/manage.ts');

/**
 * The admin API's operations. Users are JSON objects in the format that GoTrue returns, and `create` and `update`
 * accept the same format. Every operation rejects with an {@link OperationError}.
 */
export interface UserAdministration {
  get(id: string): Promise<JsonObject>;
  create(body: JsonObject): Promise<JsonObject>;
  update(id: string, body: JsonObject): Promise<JsonObject>;
  remove(id: string): Promise<void>;
  invite(email: string): Promise<JsonObject>;
  sendRecovery(email: string): Promise<void>;
  /** Returns the link for a recovery email without sending the email. */
  recoveryLink(email: string): Promise<string>;
  removeFactor(id: string, factorId: string): Promise<void>;
  /** Removes all second factors and recovery codes, ends all sessions, and notifies the user. */
  resetFactors(id: string): Promise<void>;
  /**
   * Returns a user's sessions, each with its browser and app. If the user is banned, also returns the blocked sessions,
   * because a ban doesn't delete sessions.
   */
  sessions(id: string): Promise<JsonObject[]>;
  endSession(id: string, sessionId: string): Promise<void>;
  endSessions(id: string): Promise<void>;
  /** Returns a page of the account's timeline, newest event first. */
  events(id: string, before: string | undefined): Promise<{ events: JsonObject[]; next: string | null }>;
  unlinkIdentity(id: string, identityId: string): Promise<void>;
  /** Returns a user's API keys, newest first. Null if the project doesn't offer API keys. */
  apiKeys(id: string): Promise<JsonObject[] | null>;
  revokeApiKey(id: string, keyId: string): Promise<void>;
  /** Checks a SAML identity provider's metadata. Doesn't store anything. */
  inspectSaml(source: { readonly url: string } | { readonly xml: string }): Promise<SamlInspection>;
  /** Returns this server's URLs that operators enter at an identity provider. Null if SAML is disabled. */
  samlServiceProvider(): Promise<{ readonly entityId: string; readonly acsUrl: string } | null>;
}

/** The reason why an operation failed, with the status, code and message of an HTTP response. */
export class OperationError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'OperationError';
    this.status = status;
    this.code = code;
  }
}

export function createUserAdministration(ctx: AuthContext): UserAdministration {
  const caller: AdminCaller = {
    ip: '127.0.0.1',
    userAgent: '',
    host: '',
    accessToken: undefined,
    hasCredentials: false,
    audience: undefined,
    // The links in emails open the Account pages. The recipient's language is unknown, so uses the default language.
    pageLanguage: ctx.settings.hasAccountPages ? ctx.settings.languages[0] : undefined,
    claims: { role: 'service_role' },
    redirectTo: () => operatorLinkTarget(ctx),
    setHeader: () => {},
  };
  /** Runs an operation with the time limit for requests. */
  const run = <T>(operation: () => Promise<T>): Promise<T> =>
    withDeadline(ctx.settings.requestTimeoutMs, caller.ip, operation).catch((error: unknown) => {
      throw operationError(ctx, error);
    });
  const target = (id: string) => requireTarget(ctx, id);

  return {
    get: (id) => run(async () => renderUser(await target(id))),
    create: (body) =>
      run(async () => renderUser(await retryOnConflict(() => createByAdmin(ctx, caller, fieldsOf(body))))),
    update: (id, body) =>
      run(async () => {
        const user = await target(id);
        await updateByAdmin(ctx, caller, user, fieldsOf(body));
        return renderUser(user);
      }),
    remove: (id) => run(async () => deleteByAdmin(ctx, caller, await target(id), false)),
    invite: (email) =>
      run(async () => renderUser(await retryOnConflict(() => invite(ctx, caller, fieldsOf({ email }))))),
    sendRecovery: (email) => run(() => recover(ctx, caller, () => fieldsOf({ email }))),
    recoveryLink: (email) =>
      run(async () => {
        const link = await generateLink(ctx, caller, fieldsOf({ type: 'recovery', email }));
        return link.actionLink;
      }),
    removeFactor: (id, factorId) =>
      run(async () => {
        const user = await target(id);
        await deleteFactorByAdmin(ctx, caller, user, await requireFactor(ctx, factorId, user.id));
      }),
    resetFactors: (id) => run(async () => resetFactorsByAdmin(ctx, caller, await target(id))),
    sessions: (id) =>
      run(async () => {
        const user = await target(id);
        const [sessions, places] = await Promise.all([listUserSessions(ctx, user), listPlaces(ctx, user)]);
        return sessions.map((session) => ({
          ...renderSessionEntry(session, false),
          ...renderSessionPlace(places.get(session.id)),
        }));
      }),
    endSession: (id, sessionId) =>
      run(async () => endSessionByAdmin(ctx, caller, await target(id), sessionId)),
    endSessions: (id) => run(async () => endAllSessions(ctx, await target(id))),
    events: (id, before) =>
      run(async () => {
        const { events, next } = await listUserEvents(ctx, (await target(id)).id, { before });
        return { events: events.map(renderEvent), next };
      }),
    unlinkIdentity: (id, identityId) =>
      run(async () => unlinkIdentityByAdmin(ctx, caller, await target(id), identityId)),
    apiKeys: (id) =>
      run(async () => {
        const user = await target(id);
        const { listKeysOf, offersUserKeys } = await loadKeys();
        return offersUserKeys(ctx) ? (await listKeysOf(ctx, user)).map(renderUserKey) : null;
      }),
    revokeApiKey: (id, keyId) =>
      run(async () => {
        const { requireUserKeys, revokeKeyByAdmin } = await loadKeys();
        requireUserKeys(ctx);
        await revokeKeyByAdmin(ctx, caller, await target(id), keyId);
      }),
    inspectSaml: (source) => run(async () => (await loadSaml()).inspectSaml(ctx, source)),
    samlServiceProvider: async () =>
      ctx.settings.saml.enabled ? (await loadSaml()).serviceProvider(ctx) : null,
  };
}

/**
 * Returns the destination of links in invitations and password resets. If the links open the Account pages, the user
 * sets a password or adds a passkey there and then opens the app. The URL doesn't contain a session.
 */
function operatorLinkTarget({ settings }: AuthContext): string {
  if (!settings.hasAccountPages) return settings.siteUrl;
  const flow = new URLSearchParams({ redirect_to: settings.signInUrl, next: 'app' });
  return `${settings.accountUrl()}/sign-in?${flow}`;
}

/** Converts an error as the HTTP routes do, and logs unexpected errors. */
function operationError(ctx: AuthContext, thrown: unknown): OperationError {
  const error = publicError(thrown);
  logInternal(ctx.log, error, {});
  const postgres = publicPostgresError(error);
  if (postgres) return new OperationError(postgres.status, postgres.body.code, postgres.body.message, thrown);
  return new OperationError(error.status, error.code ?? fallbackCode(error), error.message, thrown);
}
