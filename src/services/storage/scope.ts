/**
 * Defines the caller of a request and the roles that run the request's database work. The work is run either by the
 * user, restricted by policies, or by the service role for the server's own reads and writes.
 */
import type { FastifyRequest } from 'fastify';
import { type Sql, sql } from '../../base/kernel/sql.ts';
import { networkOf } from '../../base/shared/network/network-of.ts';
import type {
  RawRow,
  RequestClient,
  RequestContext,
  Setting,
  Transaction,
  TransactionOptions,
} from '../../platform/database/types.ts';
import type { StorageContext } from './context.ts';
import { isUuid } from './core/names.ts';
import { checkToken } from './core/tokens.ts';
import { translateDatabaseError } from './database-errors.ts';
import { StorageError } from './errors.ts';
import type { Cells, Lookup } from './lookup.ts';
import type { Operation } from './operations.ts';
import type { StatementRunner } from './queries/statement-runner.ts';

export interface Owner {
  /** The token's `sub` if it is a UUID. Otherwise, null. */
  readonly owner: string | null;
  /** The token's `sub` in any format. */
  readonly ownerId: string | null;
}

type Work<T> = (tx: Transaction) => Promise<T>;
type WorkOptions = Omit<TransactionOptions, 'settings'>;

export interface Scope {
  /** Whether the caller sent a valid token. False only on routes that don't require a valid token. */
  readonly authenticated: boolean;
  readonly role: string;
  readonly owner: Owner;
  /**
   * Throws if the key that signed the caller's token has been revoked since the request began. An upload can take
   * hours. A token that has only expired in the meantime is accepted.
   * @throws {StorageError} AccessDenied
   */
  confirmToken(): void;
  /**
   * Runs `work` as the user. The transaction is never read-only, even for reads, because a user's policies can call
   * functions that write (for example, to an audit log).
   */
  asUser<T>(work: Work<T>, options?: WorkOptions): Promise<T>;
  asService<T>(work: Work<T>, options?: WorkOptions): Promise<T>;
  /**
   * Checks whether the user is allowed to do `work`, by running `work` as the user within a transaction of the service
   * role. The changes that `work` makes are rolled back, and its errors are rethrown.
   */
  tryAsUser(tx: Transaction, work: Work<void>): Promise<void>;
  /**
   * Checks whether the user is allowed to run `attempt`, and reads rows as the service role. Both statements run in one
   * round trip and are rolled back. If `attempt` fails, its error is thrown.
   */
  tryAndRead(attempt: Sql, read: Sql): Promise<readonly object[]>;
  /** Returns a runner that runs each statement in a separate transaction with a single round trip. */
  eachAsUser(options?: EachOptions): StatementRunner;
  eachAsService(options?: EachOptions): StatementRunner;
  /**
   * Runs a statement in a separate transaction and streams its rows. The rows are valid only once the promise has
   * resolved.
   */
  rowsAsUser(statement: Sql, onRow: (row: RawRow) => void): Promise<void>;
  /** Runs a lookup as the service role, and returns the row if it exists. */
  lookUp(lookup: Lookup, params: readonly string[]): Promise<Cells | undefined>;
}

type EachOptions = Pick<WorkOptions, 'readOnly' | 'end'>;

/**
 * How a route handles tokens.
 * - `required`: without a valid bearer token, the request is rejected with AccessDenied.
 * - `optional`: without a valid token, the caller is an unauthenticated `anon`.
 * - `none`: tokens are ignored (for public and signed URLs), and `asUser` runs work as the service role.
 */
export type TokenRule = 'required' | 'optional' | 'none';

export const serviceRole = 'service_role';

interface Caller {
  readonly authenticated: boolean;
  readonly role: string;
  readonly subject: string | undefined;
  /** Whether the user has signed in anonymously. */
  readonly isAnonymousUser: boolean;
  readonly token: string;
  readonly claimsJson: string;
}

const anonymous: Caller = {
  authenticated: false,
  role: 'anon',
  subject: undefined,
  isAnonymousUser: false,
  token: '',
  claimsJson: '{"role":"anon"}',
};
const server: Caller = {
  authenticated: false,
  role: serviceRole,
  subject: undefined,
  isAnonymousUser: false,
  token: '',
  claimsJson: `{"role":"${serviceRole}"}`,
};

export function openScope(
  ctx: StorageContext,
  request: FastifyRequest,
  operation: Operation,
  rule: TokenRule = 'required',
): Scope {
  return scopeOf(ctx, request, operation, rule === 'none' ? server : identify(ctx, request, rule));
}

/**
 * Opens the scope of a request that was authorized by other means, such as an S3 signature. The scope is that of the
 * token's user or of the service role.
 */
export function openScopeAs(
  ctx: StorageContext,
  request: FastifyRequest,
  operation: Operation,
  token: string | undefined,
): Scope {
  return scopeOf(ctx, request, operation, token === undefined ? server : callerOf(ctx, token));
}

function scopeOf(ctx: StorageContext, request: FastifyRequest, operation: Operation, caller: Caller): Scope {
  const run = async <T>(as: Caller, work: Work<T>, options?: WorkOptions): Promise<T> => {
    try {
      return await ctx.database.asRequest(contextOf(ctx, as, request, operation), work, options);
    } catch (error) {
      throw publicFault(ctx, error);
    }
  };
  const each = (as: Caller, options?: EachOptions): StatementRunner => ({
    async query<R extends object>(statement: Sql): Promise<R[]> {
      try {
        const context = contextOf(ctx, as, request, operation);
        const [rows] = await ctx.database.statementsAsRequest(context, [statement], options);
        return rows as R[];
      } catch (error) {
        throw publicFault(ctx, error);
      }
    },
  });
  return {
    authenticated: caller.authenticated,
    role: caller.role,
    owner: ownerOf(caller.subject),
    confirmToken() {
      if (caller.token === '' || ctx.keys.verify(caller.token).ok) return;
      throw new StorageError('AccessDenied', 'signature verification failed');
    },
    asUser: (work, options) => run(caller, work, options),
    asService: (work, options) => run(server, work, options),
    async tryAsUser(tx, work) {
      const { role, settings } = contextOf(ctx, caller, request, operation);
      const calls = [...settings, ['role', role]].map(
        ([name = '', value = '']) => sql`set_config(${name}, ${value}, true)`,
      );
      const undone = new Error('undone');
      const attempt = tx.savepoint(async (inner) => {
        await inner.query(sql`select ${sql.join(calls)}`);
        await work(inner);
        throw undone;
      });
      await attempt.catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    },
    async tryAndRead(attempt, read) {
      const statements = [attempt, sql`select set_config('role', ${serviceRole}, true)`, read];
      try {
        const context = contextOf(ctx, caller, request, operation);
        const rows = await ctx.database.statementsAsRequest(context, statements, { end: 'rollback' });
        return rows.at(-1) ?? [];
      } catch (error) {
        throw publicFault(ctx, error);
      }
    },
    eachAsUser: (options) => each(caller, options),
    eachAsService: (options) => each(server, options),
    async rowsAsUser(statement, onRow) {
      try {
        await ctx.database.rowsAsRequest(contextOf(ctx, caller, request, operation), statement, onRow);
      } catch (error) {
        throw publicFault(ctx, error);
      }
    },
    async lookUp({ key, text }, params) {
      const speed = ctx.lookupSpeed;
      const { role, settings, client } = contextOf(ctx, server, request, operation);
      try {
        const { rows } = await ctx.database.requestPath.execute({
          role,
          settings: [['role', role], ...settings, ...textFormats],
          statement: { key, text },
          params,
          access: 'read only',
          lane: speed.isBlocking ? 'alone' : 'shared',
          ...(client === undefined ? {} : { client }),
          speed,
        });
        return rows[0];
      } catch (error) {
        throw publicFault(ctx, error);
      }
    },
  };
}

/** The formats of timestamps that `isoTimestamp` reads. Unlike pools, the request path uses the database's settings. */
const textFormats: readonly Setting[] = [
  ['datestyle', 'ISO, MDY'],
  ['timezone', 'UTC'],
];

/**
 * Returns the error for the client. If the database is read-only because the disk is full, the error reports the full
 * disk.
 */
function publicFault({ disk }: StorageContext, error: unknown): unknown {
  const fault = translateDatabaseError(error);
  const isReadOnly = fault instanceof StorageError && fault.entry === 'DatabaseReadOnly';
  return isReadOnly && disk.isFull
    ? new StorageError('InsufficientSpace', undefined, { cause: error })
    : fault;
}

/** Throws unless the caller is the service role. @throws {StorageError} RoleRefused */
export function requireServiceRole(scope: Scope): void {
  if (scope.role !== serviceRole) throw new StorageError('RoleRefused');
}

export function ownerOf(subject: string | undefined): Owner {
  if (subject === undefined) return { owner: null, ownerId: null };
  return { owner: isUuid(subject) ? subject : null, ownerId: subject };
}

/** Returns the context for work that isn't part of a request, such as recovery. */
export function serverContext(): RequestContext {
  return { role: serviceRole, settings: sharedSettings(server) };
}

function identify(ctx: StorageContext, request: FastifyRequest, rule: 'required' | 'optional'): Caller {
  const token = (request.headers.authorization ?? '').replace(/^Bearer\s+/i, '');
  if (token === '' && rule === 'optional') return anonymous;
  if (rule === 'required') return callerOf(ctx, token);
  const caller = verifyCaller(ctx, token);
  return 'refusal' in caller ? anonymous : caller;
}

/** Returns the caller that a token identifies. @throws {StorageError} AccessDenied */
function callerOf(ctx: StorageContext, token: string): Caller {
  const caller = verifyCaller(ctx, token);
  if ('refusal' in caller) throw new StorageError('AccessDenied', caller.refusal);
  return caller;
}

function verifyCaller(ctx: StorageContext, token: string): Caller | { readonly refusal: string | undefined } {
  const verified = ctx.keys.verify(token);
  const result = checkToken(verified, ctx.clock.now());
  if ('refusal' in result || !verified.ok)
    return { refusal: 'refusal' in result ? result.refusal : undefined };
  const { role, sub, is_anonymous } = result.claims;
  return {
    authenticated: true,
    role: typeof role === 'string' && role !== '' ? role : 'anon',
    subject: typeof sub === 'string' && sub !== '' ? sub : undefined,
    isAnonymousUser: is_anonymous === true,
    token,
    claimsJson: verified.claimsJson,
  };
}

function contextOf(
  ctx: StorageContext,
  caller: Caller,
  request: FastifyRequest,
  operation: Operation,
): RequestContext {
  return {
    role: caller.role,
    settings: [
      ...sharedSettings(caller),
      ['request.headers', JSON.stringify(request.headers)],
      ['request.method', request.method],
      ['request.path', pathOf(request.url)],
      ['storage.operation', operation],
      ...(ctx.recordsEvents ? [recordEvents] : []),
    ],
    client: clientOf(caller, request),
  };
}

/**
 * Returns the client to which the request's work is attributed. If the request doesn't have a user, for example for the
 * service role, the client is the network of the request's IP address. Requests of anonymous users are also attributed
 * to their network, because anyone can create many anonymous users.
 */
function clientOf({ role, subject, isAnonymousUser }: Caller, { ip }: FastifyRequest): RequestClient {
  const key = isAnonymousUser ? undefined : subject;
  return { key: key ?? networkOf(ip), isAnonymous: isAnonymousUser || role === 'anon' };
}

function sharedSettings(caller: Caller): Setting[] {
  return [
    ['search_path', 'storage, public, extensions'],
    ['request.jwt.claim.role', caller.role],
    ['request.jwt.claim.sub', caller.subject ?? ''],
    ['request.jwt.claims', caller.claimsJson],
    ['request.jwt', caller.token],
    ['storage.allow_delete_query', 'true'],
  ];
}

/** This setting makes the triggers on storage.objects record events (`sql/0002_functions.sql`). */
const recordEvents: Setting = ['storage.events', 'on'];

/** Returns the URL without the mount prefix. Policies and error messages use URLs in this form. */
export function pathOf(url: string): string {
  return url.startsWith(mountPrefix) ? url.slice(mountPrefix.length) || '/' : url;
}

export const mountPrefix = '/storage/v1';
/** The path of the S3 protocol, below the service's prefix. */
export const s3Prefix = '/s3';
