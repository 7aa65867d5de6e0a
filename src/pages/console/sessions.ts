/**
 * Signs operators in. A one-time link is exchanged for a session in an httpOnly cookie. All requests except GET
 * requests must contain the session's CSRF token, which proves that a Console page sent the request.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isToPublicUrl, type OwnAddress, sameOriginHeader } from '../../base/kernel/request-origin.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { createAttempts } from './core/attempts.ts';
import { may, type OperatorRole, type Permission, permissionsOf } from './core/roles.ts';
import { ConsoleError } from './errors.ts';
import type { FactorState, Session } from './operators/contract.ts';
import * as queries from './queries.ts';

const linkLifetimeSeconds = 600;
const sessionLifetimeSeconds = 12 * 3600;
/**
 * The maximum time since the operator signed in or verified the second factor, for actions that reveal a secret key or
 * let someone sign in. Someone who finds an open browser can use the operator's session but can't sign in again.
 */
const freshSeconds = 600;
/** The time for which a session remains valid after the operator has signed in again in the same browser. */
const handoverSeconds = 10;
const attemptLimits = { max: 10, windowMs: 60_000, addresses: 1000 };
/** The operator for whom the start command creates a link if the project has no owner yet. */
const firstOperator = { name: 'owner', role: 'owner' } as const;

/** Thrown if an operator doesn't exist. The message is meant for the person who runs the command. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly csrfToken: string;
  readonly sessionId: string;
  readonly factor: FactorState;
  /** Whether the operator has signed in or verified the second factor within the last {@link freshSeconds} seconds. */
  readonly isFresh: boolean;
}

/**
 * Requires a recent sign-in before an action that exposes a secret or adds a way to sign in. Without this check,
 * someone with access to an old session could use the session to sign in again later.
 * @throws {ConsoleError} sign_in_again
 */
export function requireFresh({ isFresh }: Operator): void {
  if (!isFresh) throw new ConsoleError('sign_in_again');
}

export interface Sessions {
  /**
   * Returns the operator with this name. Without a name, returns the first owner, who is created if the project has no
   * owner. Rejects if no operator has this name.
   */
  operatorNamed(name: string | undefined): Promise<queries.OperatorRow>;
  /**
   * Returns the secret for a new one-time link. Without an operator name, the link is for the first owner. Rejects if
   * no operator has this name.
   */
  issueLinkToken(operatorName?: string): Promise<string>;
  /** Returns the secret for an invitation link. */
  linkTokenFor(operatorId: string, lifetimeSeconds: number): Promise<string>;
  /** Checks a sign-in request before its body is read. @throws {ConsoleError} csrf, too_many */
  checkSignIn(request: FastifyRequest): void;
  /** Invalidates the link and sets the session cookie. @throws {ConsoleError} link_invalid */
  signIn(token: string, request: FastifyRequest, reply: FastifyReply): Promise<Operator>;
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Whether the request has a session cookie. The session may have expired. */
  hasCookie(request: FastifyRequest): boolean;
  /**
   * Authenticates the operator and checks that the operator has the permission. With `beforeFactor`, the operator
   * doesn't need to have verified the second factor in this session yet.
   * @throws {ConsoleError} signed_out, csrf, factor_needed, forbidden
   */
  authorize(request: FastifyRequest, permission: Permission, beforeFactor?: boolean): Promise<Operator>;
  /** Returns the data that every page needs: the operator, the permissions and the CSRF token. */
  described(operator: Operator): Session;
}

export interface SessionsDeps {
  readonly db: Queryable;
  readonly consoleUrl: () => string;
  /** The Console's host names. */
  readonly ownAddress: OwnAddress;
  /** Whether all operators must have a second factor. */
  readonly factorRequired: () => boolean;
}

/** The maximum number of session cookies that are looked up for a request. */
const maxCookies = 4;

export function createSessions({ db, consoleUrl, ownAddress, factorRequired }: SessionsDeps): Sessions {
  const attempts = createAttempts(attemptLimits);

  /**
   * Whether the cookie's name has the prefix `__Host-`, which prevents other hosts in the domain from setting the
   * cookie (RFC 6265bis, section 4.1.3). Browsers accept this prefix only over TLS.
   */
  const isSecure = ({ headers }: FastifyRequest): boolean =>
    ownAddress.publicUrl?.protocol === 'https:' && isToPublicUrl(headers, ownAddress);
  // Without the prefix, the cookie's name contains the port. Browsers send a host's cookies to all of its ports, and
  // two projects may run on the same host.
  const cookieName = (request: FastifyRequest): string =>
    isSecure(request) ? '__Host-plinth-console' : `plinth-console-${new URL(consoleUrl()).port || 'default'}`;

  function cookieHeader(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
    // The path restricts where browsers send the cookie. Otherwise, browsers would also send the cookie to all pages on
    // other ports of the host.
    const secure = request.protocol === 'https' ? '; Secure' : '';
    const scope = isSecure(request) ? 'Path=/; Secure' : `Path=/console${secure}`;
    return `${cookieName(request)}=${value}; ${scope}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  }

  function readCookies(request: FastifyRequest): string[] {
    const prefix = `${cookieName(request)}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
    return values.slice(0, maxCookies);
  }

  /**
   * Returns undefined unless the cookies contain exactly one valid session. A page on another port of this host could
   * set a second cookie in order to make the operator work in someone else's session.
   */
  async function sessionOf(request: FastifyRequest): Promise<queries.SessionRow | undefined> {
    const rows = await Promise.all(
      readCookies(request).map((cookie) => queries.findSession(db, hash(cookie), freshSeconds)),
    );
    const [row, ...others] = rows.filter((each) => each !== undefined);
    return others.length === 0 ? row : undefined;
  }

  async function linkTokenFor(operatorId: string, lifetimeSeconds: number): Promise<string> {
    const token = randomBytes(24).toString('base64url');
    await queries.insertLink(db, hash(token), operatorId, lifetimeSeconds);
    return token;
  }

  const factorOf = (hasFactor: boolean, proven: boolean): FactorState => {
    if (!hasFactor) return factorRequired() ? 'missing' : 'none';
    return proven ? 'proven' : 'owed';
  };

  async function operatorNamed(name: string | undefined): Promise<queries.OperatorRow> {
    const operator =
      name === undefined
        ? ((await queries.findFirstOwner(db)) ??
          (await queries.ensureOperator(db, firstOperator.name, firstOperator.role)))
        : await queries.findOperator(db, name);
    if (operator === undefined)
      throw new OperatorError(
        `The operator ${name} doesn't exist. "plinth operators list" lists all operators, and "plinth operators create ${name}" creates this one.`,
      );
    return operator;
  }

  return {
    operatorNamed,
    async issueLinkToken(operatorName) {
      return linkTokenFor((await operatorNamed(operatorName)).id, linkLifetimeSeconds);
    },
    linkTokenFor,
    checkSignIn(request) {
      // The headers that browsers set themselves have already been checked. In addition, this header is required
      // because forms on other websites can't send it.
      if (request.headers[sameOriginHeader] !== '1') throw new ConsoleError('csrf');
      const waitSeconds = attempts.waitSeconds(request.ip, performance.now());
      if (waitSeconds > 0) throw new ConsoleError('too_many', { waitSeconds });
    },
    async signIn(token, request, reply) {
      const waitSeconds = attempts.reserve(request.ip, performance.now());
      if (waitSeconds > 0) throw new ConsoleError('too_many', { waitSeconds });
      const operator = await queries.consumeLink(db, hash(token));
      if (operator === undefined) throw new ConsoleError('link_invalid');
      attempts.release(request.ip);
      const cookie = randomBytes(32).toString('base64url');
      const csrfToken = randomBytes(24).toString('base64url');
      const userAgent = request.headers['user-agent']?.slice(0, 400) ?? null;
      const sessionId = await queries.insertSession(db, {
        cookieHash: hash(cookie),
        operatorId: operator.id,
        csrfToken,
        userAgent,
        ip: request.ip,
        lifetimeSeconds: sessionLifetimeSeconds,
      });
      // The previous sessions in this browser would otherwise remain valid. They end a few seconds later, because
      // requests from the browser's other tabs contain the previous cookie until the browser has received this response.
      for (const previous of readCookies(request))
        await queries.endSessionSoon(db, hash(previous), handoverSeconds);
      reply.header('set-cookie', cookieHeader(request, cookie, sessionLifetimeSeconds));
      const { id, name, role, has_factor } = operator;
      return { id, name, role, csrfToken, sessionId, factor: factorOf(has_factor, false), isFresh: true };
    },
    async signOut(request, reply) {
      for (const cookie of readCookies(request)) await queries.deleteSession(db, hash(cookie));
      reply.header('set-cookie', cookieHeader(request, '', 0));
    },
    hasCookie: (request) => readCookies(request).length > 0,
    async authorize(request, permission, beforeFactor = false) {
      const row = await sessionOf(request);
      if (row === undefined) throw new ConsoleError('signed_out');
      if (request.method !== 'GET' && !isSame(request.headers['x-plinth-csrf'], row.csrf_token))
        throw new ConsoleError('csrf');
      const factor = factorOf(row.has_factor, row.factor_proven);
      if (!beforeFactor && (factor === 'owed' || factor === 'missing'))
        throw new ConsoleError('factor_needed');
      if (!may(row.role, permission)) throw new ConsoleError('forbidden');
      const { id, name, role, csrf_token, session_id } = row;
      return {
        id,
        name,
        role,
        csrfToken: csrf_token,
        sessionId: session_id,
        factor,
        isFresh: row.is_fresh,
      };
    },
    described: ({ name, role, csrfToken, factor, isFresh }) => ({
      operator: { name, role, permissions: permissionsOf(role) },
      factor,
      isFresh,
      csrfToken,
    }),
  };
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

function isSame(given: unknown, expected: string): boolean {
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(expected));
}
