/** The app's end users, through auth's own operations: its rules hold here too. */
import type { Keys } from '../../keys/types.ts';
import type { Services } from '../services.ts';

export const usersPerPage = 50;
const missing = 'There is no such user.';
/** Enough for one call in this process; the token never leaves it. */
const actingSeconds = 30;

export interface AuthUser {
  readonly id: string;
  readonly aud?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly role?: string;
  readonly app_metadata?: Record<string, unknown>;
  readonly user_metadata?: Record<string, unknown>;
}

export interface NewUser {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly password?: string | undefined;
  readonly confirmed: boolean;
}

/** What auth's admin API takes at `PUT /admin/users/:id`. */
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

export interface AuthUsers {
  list(page: number, search: string): Promise<{ users: unknown; total: number }>;
  get(id: string): Promise<AuthUser>;
  create(user: NewUser): Promise<AuthUser>;
  update(id: string, changes: UserChanges): Promise<AuthUser>;
  remove(id: string): Promise<void>;
  invite(email: string): Promise<AuthUser>;
  mailRecovery(email: string): Promise<void>;
  /** The link that the mail would carry. */
  recoveryLink(email: string): Promise<string>;
  removeFactor(id: string, factorId: string): Promise<void>;
  sessions(user: AuthUser): Promise<unknown>;
  endSession(user: AuthUser, sessionId: string): Promise<void>;
  endSessions(user: AuthUser): Promise<void>;
  unlink(user: AuthUser, identityId: string): Promise<void>;
}

export function createAuthUsers(services: Services, keys: Pick<Keys, 'sign'>, now: () => number): AuthUsers {
  const admin = (path: string, call: Parameters<Services>[1] = {}) =>
    services(`/auth/v1/admin${path}`, { missing, ...call });

  /** Auth has no admin's way to a user's sessions and identities: the user's own is taken, in their name. */
  const asUser = (user: AuthUser, path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET') => {
    const exp = Math.floor(now() / 1000) + actingSeconds;
    const token = keys.sign({ sub: user.id, aud: user.aud ?? 'authenticated', role: 'authenticated', exp });
    return services(`/auth/v1${path}`, { method, token });
  };

  return {
    async list(page, search) {
      const query = new URLSearchParams({ page: String(page), per_page: String(usersPerPage) });
      if (search !== '') query.set('filter', search);
      const { body, headers } = await admin(`/users?${query}`);
      return { users: body.users, total: Number(headers.get('x-total-count') ?? 0) };
    },
    get: async (id) => (await admin(`/users/${id}`)).body as unknown as AuthUser,
    async create({ email, phone, password, confirmed }) {
      const body = {
        ...(email === undefined ? {} : { email, email_confirm: confirmed }),
        ...(phone === undefined ? {} : { phone, phone_confirm: confirmed }),
        ...(password === undefined ? {} : { password }),
      };
      return (await admin('/users', { method: 'POST', body })).body as unknown as AuthUser;
    },
    update: async (id, changes) =>
      (await admin(`/users/${id}`, { method: 'PUT', body: changes })).body as unknown as AuthUser,
    async remove(id) {
      await admin(`/users/${id}`, { method: 'DELETE', body: {} });
    },
    invite: async (email) =>
      (await services('/auth/v1/invite', { method: 'POST', body: { email } })).body as unknown as AuthUser,
    async mailRecovery(email) {
      await services('/auth/v1/recover', { method: 'POST', body: { email } });
    },
    async recoveryLink(email) {
      const { body } = await admin('/generate_link', { method: 'POST', body: { type: 'recovery', email } });
      return String(body.action_link);
    },
    async removeFactor(id, factorId) {
      await admin(`/users/${id}/factors/${factorId}`, {
        method: 'DELETE',
        missing: 'This user has no such factor.',
      });
    },
    sessions: async (user) => (await asUser(user, '/user/sessions')).body.sessions,
    async endSession(user, sessionId) {
      await asUser(user, `/user/sessions/${sessionId}`, 'DELETE');
    },
    async endSessions(user) {
      await asUser(user, '/logout?scope=global', 'POST');
    },
    async unlink(user, identityId) {
      await asUser(user, `/user/identities/${identityId}`, 'DELETE');
    },
  };
}
