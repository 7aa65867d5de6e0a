import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const email = z.email();
const phone = z.string().regex(/^\+?[\d\s().-]{5,24}$/, "isn't a phone number");
const password = z.string().min(1).max(1000);
const metadata = z.record(z.string(), z.unknown());

const userPage = z.object({
  page: z.coerce.number<number>().int().min(1).default(1),
  search: z.string().max(200).default(''),
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
const userBan = z.object({ hours: z.number().int().min(0).max(876_000) });
const userConfirm = z.object({ what: z.enum(['email', 'phone']) });
const userReset = z.object({ by: z.enum(['mail', 'link']) });

export interface Impersonation {
  readonly userId: string;
  readonly name: string;
  /** The time in ISO 8601 format. */
  readonly expiresAt: string;
}

/** A user as the admin API of the auth service returns it. */
export interface User {
  readonly id: string;
  readonly email?: string;
  readonly phone?: string;
  readonly role?: string;
  readonly created_at: string;
  readonly updated_at?: string;
  readonly last_sign_in_at?: string | null;
  readonly email_confirmed_at?: string | null;
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

export interface UserPage {
  readonly users: readonly User[];
  readonly total: number;
  readonly perPage: number;
}

export interface UserSession {
  readonly id: string;
  readonly created_at: string;
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
}

/** An entry in the timeline of a user's account, as the user sees it. */
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
  /** The value of `before` for the next page. Null on the last page. */
  readonly next: string | null;
}

/** A short-lived token that lets the operator act as the user. */
export interface ImpersonationToken {
  readonly accessToken: string;
  /** The time in ISO 8601 format. */
  readonly expiresAt: string;
  readonly url: string;
  readonly publishableKey: string;
}

export const contract = {
  'GET /users': { query: userPage, response: json<UserPage>() },
  'POST /users': { body: newUser, response: json<User>() },
  'POST /users/invite': { body: userInvite, response: json<User>() },
  'GET /users/:id': { response: json<User>() },
  'PATCH /users/:id': { body: userChange, response: json<User>() },
  'DELETE /users/:id': { response: noContent },
  'POST /users/:id/ban': { body: userBan, response: json<User>() },
  'POST /users/:id/confirm': { body: userConfirm, response: json<User>() },
  'POST /users/:id/reset': { body: userReset, response: json<{ readonly link?: string }>() },
  'DELETE /users/:id/factors/:factor': { response: noContent },
  'DELETE /users/:id/identities/:identity': { response: noContent },
  'GET /users/:id/sessions': { response: json<{ readonly sessions: readonly UserSession[] }>() },
  'GET /users/:id/events': { query: eventPage, response: json<UserEventPage>() },
  'DELETE /users/:id/sessions': { response: noContent },
  'DELETE /users/:id/sessions/:session': { response: noContent },
  'POST /users/:id/impersonate': { response: json<ImpersonationToken>() },
  'GET /impersonations': { response: json<{ readonly impersonations: readonly Impersonation[] }>() },
} as const satisfies RouteTable;
