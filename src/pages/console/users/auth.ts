/**
 * Manages the app's users through the auth service, so that the service's rules also apply to changes made by
 * operators.
 */
import type { OperationError, SamlInspection, UserAdministration } from '../../../services/auth/index.ts';
import { serviceError } from '../service-client.ts';

const missing = "This user doesn't exist.";

export interface AuthUser {
  readonly id: string;
  readonly email?: string;
  readonly phone?: string;
  readonly role?: string;
  readonly banned_until?: string | null;
  readonly app_metadata?: Record<string, unknown>;
  readonly user_metadata?: Record<string, unknown>;
}

export interface NewUser {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly password?: string | undefined;
  readonly confirmed: boolean;
}

/** The fields that the admin API of the auth service accepts in `PUT /admin/users/:id`. */
export interface UserChanges {
  readonly email?: string;
  readonly phone?: string;
  readonly password?: string;
  readonly email_confirm?: boolean;
  readonly phone_confirm?: boolean;
  readonly ban_duration?: string;
  readonly app_metadata?: Record<string, unknown>;
  readonly user_metadata?: Record<string, unknown>;
}

/**
 * The operations on users. All operations throw {@link ConsoleError}: not_found, bad_request with the message and code
 * from the auth service, or upstream.
 */
export interface AuthUsers {
  get(id: string): Promise<AuthUser>;
  create(user: NewUser): Promise<AuthUser>;
  update(id: string, changes: UserChanges): Promise<AuthUser>;
  remove(id: string): Promise<void>;
  invite(email: string): Promise<AuthUser>;
  mailRecovery(email: string): Promise<void>;
  /** Returns the link that a recovery email would contain, without sending the email. */
  recoveryLink(email: string): Promise<string>;
  removeFactor(id: string, factorId: string): Promise<void>;
  /** Removes all of the user's second factors and recovery codes, ends all sessions, and notifies the user. */
  resetFactors(id: string): Promise<void>;
  sessions(id: string): Promise<unknown>;
  events(id: string, before: string | undefined): Promise<unknown>;
  endSession(id: string, sessionId: string): Promise<void>;
  endSessions(id: string): Promise<void>;
  unlink(id: string, identityId: string): Promise<void>;
  /** Null if the project doesn't offer API keys. */
  apiKeys(id: string): Promise<unknown>;
  revokeApiKey(id: string, keyId: string): Promise<void>;
  inspectSaml(source: { readonly url: string } | { readonly xml: string }): Promise<SamlInspection>;
}

export function createAuthUsers(users: UserAdministration): AuthUsers {
  const userOf = async (operation: Promise<unknown>): Promise<AuthUser> =>
    (await translated(operation, missing)) as AuthUser;

  return {
    get: (id) => userOf(users.get(id)),
    create: ({ email, phone, password, confirmed }) =>
      userOf(
        users.create({
          ...(email === undefined ? {} : { email, email_confirm: confirmed }),
          ...(phone === undefined ? {} : { phone, phone_confirm: confirmed }),
          ...(password === undefined ? {} : { password }),
        }),
      ),
    update: (id, changes) => userOf(users.update(id, changes as Parameters<typeof users.update>[1])),
    remove: (id) => translated(users.remove(id), missing),
    invite: async (email) => (await translated(users.invite(email))) as unknown as AuthUser,
    mailRecovery: (email) => translated(users.sendRecovery(email)),
    recoveryLink: (email) => translated(users.recoveryLink(email), missing),
    removeFactor: (id, factorId) =>
      translated(users.removeFactor(id, factorId), "This user doesn't have this factor."),
    resetFactors: (id) => translated(users.resetFactors(id), missing),
    sessions: (id) => translated(users.sessions(id)),
    events: (id, before) => translated(users.events(id, before), missing),
    endSession: (id, sessionId) => translated(users.endSession(id, sessionId)),
    endSessions: (id) => translated(users.endSessions(id)),
    unlink: (id, identityId) => translated(users.unlinkIdentity(id, identityId)),
    apiKeys: (id) => translated(users.apiKeys(id), missing),
    revokeApiKey: (id, keyId) =>
      translated(users.revokeApiKey(id, keyId), "This user doesn't have this API key."),
    inspectSaml: (source) => translated(users.inspectSaml(source)),
  };
}

/**
 * Converts errors from the auth service.
 * @param notFound replaces the service's message if the response has status 404
 */
async function translated<T>(operation: Promise<T>, notFound?: string): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    const { status, code, message } = error as OperationError;
    throw serviceError(status, { error_code: code, msg: message }, notFound);
  }
}
