import { z } from 'zod';
import { json, noContent, type RouteTable, raw } from '../core/contract.ts';
import { ssoContract } from './sso-contract.ts';

export type { SsoCheck, SsoConnection, SsoPage } from './sso-contract.ts';

const email = z.email();
const phone = z.string().regex(/^\+?[\d\s().-]{5,24}$/, "isn't a phone number");
const password = z.string().min(1).max(1000);
const metadata = z.record(z.string(), z.unknown());

const choice = z.enum(['yes', 'no']).optional();
const time = z.iso.datetime({ offset: true }).optional();
/** A position in the list of users, which the response with the previous page contained. */
const cursor = z.string().max(2000).optional();

/** The filters for the list of users, exports and bulk actions. A user must match all filters. */
const userFilter = z.object({
  search: z.string().max(200).default(''),
  factor: choice,
  provider: z.string().min(1).max(200).optional(),
  confirmed: choice,
  /** Whether the user was invited and hasn't accepted the invitation yet. */
  invited: choice,
  banned: choice,
  guest: choice,
  sso: choice,
  /** Whether the user has ever signed in. */
  signedIn: choice,
  createdFrom: time,
  createdTo: time,
  seenFrom: time,
  seenTo: time,
});
const sortedFilter = userFilter.extend({
  sort: z.enum(['created', 'seen', 'email']).default('created'),
  order: z.enum(['asc', 'desc']).default('desc'),
});
const userView = sortedFilter.extend({ after: cursor, before: cursor });
const userExport = sortedFilter.extend({ format: z.enum(['csv', 'json']) });

/** The maximum number of users in a bulk action request. The page sends a larger selection in several batches. */
const maxBatchUsers = 100;
const maxBanHours = 876_000;
const bulkAction = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('ban'),
    hours: z.number().int().min(1).max(maxBanHours),
    endSessions: z.boolean(),
  }),
  z.object({ kind: z.literal('unban') }),
  z.object({ kind: z.literal('sign-out') }),
  z.object({ kind: z.literal('delete') }),
  z.object({ kind: z.literal('app-metadata'), values: metadata }),
]);
const bulkRequest = z.object({
  action: bulkAction,
  ids: z.array(z.uuid()).min(1).max(maxBatchUsers),
  /** Identifies the operation to which a batch belongs, for the audit log. */
  operation: z.uuid(),
});

const eventPage = z.object({ before: z.uuid().optional() });
const newUser = z
  .object({
    email: email.optional(),
    phone: phone.optional(),
    password: password.optional(),
    confirmed: z.boolean().default(true),
  })
  .refine(
    (user) => user.email !== undefined || user.phone !== undefined,
    'must contain an email address or a phone number',
  )
  .refine((user) => user.email === undefined || user.password !== undefined, 'needs a password');
const userInvite = z.object({ email });
const userChange = z
  .object({
    email: email.optional(),
    phone: phone.optional(),
    password: password.optional(),
    user_metadata: metadata.optional(),
    app_metadata: metadata.optional(),
  })
  .strict();
const userBan = z.object({
  hours: z.number().int().min(0).max(maxBanHours),
  endSessions: z.boolean().default(false),
});
const userConfirm = z.object({ what: z.enum(['email', 'phone']) });
const userReset = z.object({ by: z.enum(['mail', 'link']) });

export type UserChange = z.output<typeof userChange>;

export interface Impersonation {
  readonly userId: string;
  readonly name: string;
  /** The time in ISO 8601 format. */
  readonly expiresAt: string;
}

/** A user in the format of the auth service's admin API. */
export interface User {
  readonly id: string;
  readonly email?: string;
  readonly phone?: string;
  readonly role?: string;
  readonly created_at: string;
  readonly updated_at?: string;
  readonly last_sign_in_at?: string | null;
  readonly email_confirmed_at?: string | null;
  readonly invited_at?: string | null;
  readonly phone_confirmed_at?: string | null;
  readonly banned_until?: string | null;
  readonly is_anonymous?: boolean;
  readonly app_metadata?: Record<string, unknown>;
  readonly user_metadata?: Record<string, unknown>;
  readonly identities?: readonly {
    readonly identity_id: string;
    readonly provider: string;
    readonly last_sign_in_at?: string | null;
    readonly identity_data?: Record<string, unknown>;
  }[];
  readonly factors?: readonly {
    readonly id: string;
    readonly factor_type: string;
    readonly friendly_name?: string;
    readonly status: string;
    readonly created_at: string;
  }[];
}

export type UserFilter = z.output<typeof userFilter>;
export type UserView = z.output<typeof userView>;
export type UserSort = UserView['sort'];
export type BulkAction = z.output<typeof bulkAction>;

/** A user in the list of users. */
export interface UserRow {
  readonly id: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** The name in the user's metadata. */
  readonly name: string | null;
  /** The providers of all identities that the user has. */
  readonly providers: readonly string[];
  readonly created_at: string | null;
  readonly last_sign_in_at: string | null;
  readonly email_confirmed_at: string | null;
  readonly invited_at: string | null;
  readonly phone_confirmed_at: string | null;
  readonly banned_until: string | null;
  readonly is_anonymous: boolean;
  readonly is_sso_user: boolean;
  /** Whether the user has a verified second factor. */
  readonly has_factor: boolean;
}

export interface UserPage {
  readonly users: readonly UserRow[];
  /** The value of `before` with which the previous page is requested. Null on the first page. */
  readonly previous: string | null;
  /** The value of `after` with which the next page is requested. Null on the last page. */
  readonly next: string | null;
}

export interface UserCount {
  readonly count: number;
  /**
   * `more`: the actual number of matching users is larger. `estimate`: the number is an estimate from PostgreSQL's
   * statistics.
   */
  readonly precision: 'exact' | 'more' | 'estimate';
}

export interface BulkResult {
  readonly done: readonly string[];
  /** The users who were banned by this request and weren't already banned. */
  readonly undoable: readonly string[];
  readonly failures: readonly { readonly id: string; readonly name: string; readonly message: string }[];
}

export interface UserSession {
  readonly id: string;
  readonly created_at: string;
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
  /**
   * Identifies the browser. Sessions in the same browser have the same value. Null if the session wasn't created on the
   * Account pages.
   */
  readonly browser: string | null;
  /** The session's app. Null for the Account pages and for unknown apps. */
  readonly app: { readonly name: string | null; readonly url: string | null } | null;
}

/** An entry in the timeline of the account, as shown to the user. */
export interface UserEvent {
  readonly id: string;
  readonly kind: string;
  readonly actor: 'user' | 'operator';
  readonly details: Readonly<Record<string, unknown>>;
  readonly user_agent: string | null;
  readonly network: string | null;
  readonly created_at: string;
}

export interface UserEventPage {
  readonly events: readonly UserEvent[];
  /** The value of `before` with which the next page is requested. Null on the last page. */
  readonly next: string | null;
}

/** A user's API key, as the auth service describes it. The key itself isn't stored. */
export interface UserApiKey {
  readonly id: string;
  readonly name: string;
  readonly beginning: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

/** A short-lived token with which the operator can act as the user. */
export interface ImpersonationToken {
  readonly accessToken: string;
  /** The time in ISO 8601 format. */
  readonly expiresAt: string;
  readonly url: string;
  readonly publishableKey: string;
}

export const contract = {
  ...ssoContract,
  'GET /users': { query: userView, response: json<UserPage>() },
  'GET /users/count': { query: userFilter, response: json<UserCount>() },
  'GET /users/ids': {
    query: sortedFilter,
    response: json<{ readonly ids: readonly string[]; readonly isComplete: boolean }>(),
  },
  'GET /users/providers': { response: json<{ readonly providers: readonly string[] }>() },
  'GET /users/export': { query: userExport, response: raw },
  'POST /users/bulk': { body: bulkRequest, response: json<BulkResult>() },
  'POST /users': { body: newUser, response: json<User>() },
  'POST /users/invite': { body: userInvite, response: json<User>() },
  'GET /users/:id': { response: json<User>() },
  'PATCH /users/:id': { body: userChange, response: json<User>() },
  'DELETE /users/:id': { response: noContent },
  'POST /users/:id/ban': { body: userBan, response: json<User>() },
  'POST /users/:id/confirm': { body: userConfirm, response: json<User>() },
  'POST /users/:id/reset': { body: userReset, response: json<{ readonly link?: string }>() },
  /** Removes all of the user's second factors and recovery codes, ends all sessions, and notifies the user. */
  'DELETE /users/:id/factors': { response: noContent },
  'DELETE /users/:id/factors/:factor': { response: noContent },
  'DELETE /users/:id/identities/:identity': { response: noContent },
  'GET /users/:id/sessions': { response: json<{ readonly sessions: readonly UserSession[] }>() },
  'GET /users/:id/events': { query: eventPage, response: json<UserEventPage>() },
  'DELETE /users/:id/sessions': { response: noContent },
  'DELETE /users/:id/sessions/:session': { response: noContent },
  /** `keys` is null if the project doesn't offer API keys. */
  'GET /users/:id/api-keys': { response: json<{ readonly keys: readonly UserApiKey[] | null }>() },
  'DELETE /users/:id/api-keys/:key': { response: noContent },
  'POST /users/:id/impersonate': { response: json<ImpersonationToken>() },
  'GET /impersonations': { response: json<{ readonly impersonations: readonly Impersonation[] }>() },
} as const satisfies RouteTable;
