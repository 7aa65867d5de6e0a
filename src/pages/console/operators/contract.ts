import { z } from 'zod';
import { isLonger } from '../../../base/shared/text-length.ts';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import { type OperatorRole, type Permission, roles } from '../core/roles.ts';

const maxOperatorNameChars = 100;
const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => !isLonger(text, maxOperatorNameChars), {
    message: `can have at most ${maxOperatorNameChars} characters`,
  })
  // A name must fit on one line of a log, and operators must be able to type it to confirm an action.
  .regex(/^[^\p{C}]+$/u, "isn't a valid name");

export const signIn = z.object({ token: z.string().min(1).max(200) });
const newOperator = z.object({ name, role: z.enum(roles) });
const linkRecipient = z.object({ email: z.email().max(320) });
const newRole = z.object({ role: z.enum(roles) });
/** A code from the authenticator app or a recovery code. */
const code = z.object({ code: z.string().trim().min(1).max(40) });

const bytes = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9_-]*$/, 'is not base64url');
const response = z.object({
  id: bytes.min(1).max(1400),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes.optional(),
    authenticatorData: bytes.optional(),
    signature: bytes.optional(),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
});
const newPasskey = z.object({ name, answer: response });
const passkeyProof = z.object({ answer: response });

const text = z.string().max(200).optional();
const auditPage = z.object({
  operator: text,
  action: text,
  search: text,
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  limit: z.coerce.number<number>().int().min(1).max(200).default(50),
});

export interface OperatorSummary {
  id: string;
  name: string;
  role: OperatorRole;
  created_at: string;
  last_sign_in_at: string | null;
  has_factor: boolean;
  sessions: number;
  /** When the operator's newest unused sign-in link expires. Null if the operator has no unused link. */
  link_expires_at: string | null;
}

export interface SessionSummary {
  id: string;
  operator_id: string;
  operator_name: string;
  user_agent: string | null;
  ip: string | null;
  created_at: string;
  last_seen_at: string;
  current: boolean;
}

export interface AuditEntry {
  /** A bigint as text. To get the next page, pass the ID of the last entry on this page. */
  id: string;
  at: string;
  operator_name: string;
  action: string;
  target: string;
  detail: Record<string, unknown>;
  request_id: string | null;
}

export interface PasskeySummary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/**
 * `none`: the operator has no second factor. `owed`: the operator hasn't verified the second factor in this session
 * yet. `missing`: the project requires a second factor, but the operator doesn't have one.
 */
export type FactorState = 'none' | 'proven' | 'owed' | 'missing';

/** The signed-in operator, with the data that every page needs. */
export interface Session {
  readonly operator: {
    readonly name: string;
    readonly role: OperatorRole;
    readonly permissions: readonly Permission[];
  };
  readonly factor: FactorState;
  /**
   * Whether the operator signed in (or, if the operator has a second factor, verified it) within the last 10 minutes.
   */
  readonly isFresh: boolean;
  /** The CSRF token, which is required in all requests except GET requests. */
  readonly csrfToken: string;
}

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

/** A WebAuthn credential descriptor. The credential ID is encoded in base64url. */
export interface CredentialDescriptor {
  readonly type: 'public-key';
  readonly id: string;
  readonly transports: readonly string[];
}

/** `PublicKeyCredentialCreationOptionsJSON` from WebAuthn level 3. */
export interface CreationOptions {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[];
  readonly timeout: number;
  readonly excludeCredentials: readonly CredentialDescriptor[];
  readonly authenticatorSelection: {
    readonly residentKey: 'discouraged';
    readonly userVerification: 'required';
  };
  readonly attestation: 'none';
}

/** `PublicKeyCredentialRequestOptionsJSON` from WebAuthn level 3. */
export interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
  readonly allowCredentials: readonly CredentialDescriptor[];
  readonly timeout: number;
  readonly userVerification: 'required';
}

export interface Invitation {
  readonly link: string;
  readonly expiresAt: string;
}

export interface FactorOverview {
  readonly confirmed: boolean;
  readonly recoveryCodesLeft: number;
}

/** The secret for a new authenticator app. The operator confirms the secret by entering a code from the app. */
export interface NewFactor {
  readonly secret: string;
  readonly uri: string;
  /** The QR code as a data: URL. */
  readonly qr: string;
}

export type { OperatorRole, Permission };

export const contract = {
  'POST /sign-in': { body: signIn, response: json<Session>() },
  'GET /session': { response: json<Session>() },
  'POST /sign-out': { response: noContent },
  'GET /operators': {
    response: json<{
      readonly operators: readonly OperatorSummary[];
      readonly factorRequired: boolean;
      /**
       * Whether an SMTP server is configured. Links aren't sent to the inbox, because other operators can read the
       * inbox.
       */
      readonly canSendMail: boolean;
    }>(),
  },
  'POST /operators': {
    body: newOperator,
    response: json<Invitation & { readonly operator: Operator }>(),
  },
  'POST /operators/:id/link': { response: json<Invitation>() },
  /** Emails a new sign-in link, which replaces the operator's previous links. The response doesn't include the link. */
  'POST /operators/:id/link/send': {
    body: linkRecipient,
    response: json<Pick<Invitation, 'expiresAt'>>(),
  },
  'DELETE /operators/:id/link': { response: noContent },
  'PATCH /operators/:id': { body: newRole, response: json<Operator>() },
  'DELETE /operators/:id': { response: noContent },
  'DELETE /operators/:id/factor': { response: noContent },
  'GET /sessions': { response: json<{ readonly sessions: readonly SessionSummary[] }>() },
  'DELETE /sessions/:id': { response: noContent },
  'GET /factor': { response: json<FactorOverview>() },
  'POST /factor': { response: json<NewFactor>() },
  'POST /factor/confirm': { body: code, response: json<{ readonly recoveryCodes: readonly string[] }>() },
  'POST /factor/prove': { body: code, response: json<Session>() },
  'DELETE /factor': { body: code, response: noContent },
  'GET /factor/passkeys': { response: json<{ readonly passkeys: readonly PasskeySummary[] }>() },
  /** Returns the options for `navigator.credentials.create`. */
  'POST /factor/passkeys/begin': { response: json<CreationOptions>() },
  'POST /factor/passkeys': { body: newPasskey, response: noContent },
  'DELETE /factor/passkeys/:id': { response: noContent },
  /** Returns the options for `navigator.credentials.get`. */
  'POST /factor/passkeys/ask': { response: json<RequestOptions>() },
  'POST /factor/passkeys/prove': { body: passkeyProof, response: json<Session>() },
  'GET /audit': {
    query: auditPage,
    response: json<{ readonly entries: readonly AuditEntry[]; readonly more: boolean }>(),
  },
  'GET /audit/facets': {
    response: json<{ readonly operators: readonly string[]; readonly actions: readonly string[] }>(),
  },
} as const satisfies RouteTable;
