/**
 * The caller of a request and the roles of its database work: as the user, restricted by policies, or as the service
 * role for the server's own reads and writes.
 */
import type { FastifyRequest } from 'fastify';
import type { RawRow, RequestContext, Setting, Transaction, TransactionOptions } from '../database/types.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { checkToken } from './core/check-token.ts';
import { isUuid } from './core/names.ts';
import { translateDatabaseError } from './database-errors.ts';
import { StorageError } from './errors.ts';
import type { Operation } from './operations.ts';
import type { StatementRunner } from './queries/statement-runner.ts';
import type { StorageService } from './service.ts';

export interface Owner {
  /** `sub` if it is a UUID. */
  readonly owner: string | null;
  /** `sub` in any format. */
  readonly ownerId: string | null;
}

type Work<T> = (tx: Transaction) => Promise<T>;
type WorkOptions = Omit<TransactionOptions, 'settings'>;

export interface Scope {
  /** Whether the caller sent a valid token. Can be false only on routes that don't require one. */
  readonly authenticated: boolean;
  readonly role: string;
  readonly owner: Owner;
  /**
   * Never read-only, even for reads, because a user's policies can call functions that write (for example, to an audit
   * log).
   */
  asUser<T>(work: Work<T>, options?: WorkOptions): Promise<T>;
  asService<T>(work: Work<T>, options?: WorkOptions): Promise<T>;
  /**
   * Within a transaction of the service role, checks that the user can do `work`. The work is rolled back, and its
   * errors are rethrown.
   */
  tryAsUser(tx: Transaction, work: Work<void>): Promise<void>;
  /** Runs each statement in its own transaction with a single round trip. */
  eachAsUser(options?: EachOptions): StatementRunner;
  eachAsService(options?: EachOptions): StatementRunner;
  /** Runs a statement in its own transaction and streams its rows, which are only valid after the promise resolves. */
  rowsAsUser(statement: Sql, onRow: (row: RawRow) => void): Promise<void>;
}

type EachOptions = Pick<WorkOptions, 'readOnly' | 'end'>;

/**
 * - `required`: a valid bearer token is required, otherwise AccessDenied.
 * - `optional`: without a valid token, the caller is an unauthenticated `anon`.
 * - `none`: tokens are ignored (public and signed URLs), and `asUser` is the service role.
 */
export type TokenRule = 'required' | 'optional' | 'none';

export const serviceRole = 'service_role';

interface Caller {
  readonly authenticated: boolean;
  readonly role: string;
  readonly subject: string | undefined;
  readonly token: string;
  readonly claimsJson: string;
}

const anonymous: Caller = {
  authenticated: false,
  role: 'anon',
  subject: undefined,
  token: '',
  claimsJson: '{"role":"anon"}',
};
const server: Caller = {
  authenticated: false,
  role: serviceRole,
  subject: undefined,
  token: '',
  claimsJson: `{"role":"${serviceRole}"}`,
};

export function openScope(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  rule: TokenRule = 'required',
): Scope {
  return scopeOf(service, request, operation, rule === 'none' ? server : identify(service, request, rule));
}

/** Opens the scope of a request that was authorized differently (S3): as a token's user or as the service role. */
export function openScopeAs(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  token: string | undefined,
): Scope {
  return scopeOf(service, request, operation, token === undefined ? server : callerOf(service, token));
}

function scopeOf(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  caller: Caller,
): Scope {
  const run = async <T>(as: Caller, work: Work<T>, options?: WorkOptions): Promise<T> => {
    try {
      return await service.database.asRequest(contextOf(service, as, request, operation), work, options);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
  const each = (as: Caller, options?: EachOptions): StatementRunner => ({
    async query<R extends object>(statement: Sql): Promise<R[]> {
      try {
        const context = contextOf(service, as, request, operation);
        const [rows] = await service.database.statementsAsRequest(context, [statement], options);
        return rows as R[];
      } catch (error) {
        throw translateDatabaseError(error);
      }
    },
  });
  return {
    authenticated: caller.authenticated,
    role: caller.role,
    owner: ownerOf(caller.subject),
    asUser: (work, options) => run(caller, work, options),
    asService: (work, options) => run(server, work, options),
    async tryAsUser(tx, work) {
      const { role, settings } = contextOf(service, caller, request, operation);
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
    eachAsUser: (options) => each(caller, options),
    eachAsService: (options) => each(server, options),
    async rowsAsUser(statement, onRow) {
      try {
        await service.database.rowsAsRequest(
          contextOf(service, caller, request, operation),
          statement,
          onRow,
        );
      } catch (error) {
        throw translateDatabaseError(error);
      }
    },
  };
}

/** @throws {StorageError} RoleRefused unless the caller is the service role */
export function requireServiceRole(scope: Scope): void {
  if (scope.role !== serviceRole) throw new StorageError('RoleRefused');
}

export function ownerOf(subject: string | undefined): Owner {
  if (subject === undefined) return { owner: null, ownerId: null };
  return { owner: isUuid(subject) ? subject : null, ownerId: subject };
}

/** The context of work that isn't part of a request (recovery). */
export function serverContext(): RequestContext {
  return { role: serviceRole, settings: sharedSettings(server) };
}

function identify(service: StorageService, request: FastifyRequest, rule: 'required' | 'optional'): Caller {
  const token = (request.headers.authorization ?? '').replace(/^Bearer\s+/i, '');
  if (token === '' && rule === 'optional') return anonymous;
  if (rule === 'required') return callerOf(service, token);
  const caller = verifyCaller(service, token);
  return 'refusal' in caller ? anonymous : caller;
}

/** @throws {StorageError} AccessDenied */
function callerOf(service: StorageService, token: string): Caller {
  const caller = verifyCaller(service, token);
  if ('refusal' in caller) throw new StorageError('AccessDenied', caller.refusal);
  return caller;
}

function verifyCaller(
  service: StorageService,
  token: string,
): Caller | { readonly refusal: string | undefined } {
  const verified = service.keys.verify(token);
  const verdict = checkToken(verified, service.clock.now());
  if ('refusal' in verdict || !verified.ok)
    return { refusal: 'refusal' in verdict ? verdict.refusal : undefined };
  const { role, sub } = verdict.claims;
  return {
    authenticated: true,
    role: typeof role === 'string' && role !== '' ? role : 'anon',
    subject: typeof sub === 'string' && sub !== '' ? sub : undefined,
    token,
    claimsJson: verified.claimsJson,
  };
}

function contextOf(
  service: StorageService,
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
      ...(service.notesEvents ? [noteEvents] : []),
    ],
  };
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

/** Makes the triggers on storage.objects record events (`sql/0005_events.sql`). */
const noteEvents: Setting = ['storage.events', 'on'];

/** Returns the URL without the mount prefix, as used in policies and error messages. */
export function pathOf(url: string): string {
  return url.startsWith(mountPrefix) ? url.slice(mountPrefix.length) || '/' : url;
}

export const mountPrefix = '/storage/v1';
