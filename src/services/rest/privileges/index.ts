/**
 * Adds a hint to permission errors (42501). The hint states which privilege or policy the request's role lacks. The
 * login role queries the catalogs outside the failed transaction. The rest of the response is unchanged.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import type { PostgresErrorShape, Queryable } from '../../../platform/database/types.ts';
import type { CrudPlan, WritePlan } from '../core/plan/types.ts';
import { RestError } from '../errors.ts';
import type { RestSettings } from '../settings.ts';
import {
  BEHIND_THE_REQUEST,
  type Command,
  type Extent,
  fullPolicyHint,
  membershipHint,
  privilegeHint,
  ROW_BEHIND_THE_REQUEST,
  shortPolicyHint,
} from './hint.ts';
import { selectLoginWithout, selectMissing, selectPolicies, selectQuoted } from './queries.ts';
import { requiredPrivilegesOf } from './required-privileges.ts';

/** Returns the error with a hint. If no hint is available, returns the error unchanged. */
export type Advise = (
  error: RestError,
  plan: CrudPlan,
  role: string,
  settings: Pick<RestSettings, 'schemas' | 'permissionHints'>,
) => Promise<RestError>;

/**
 * The kinds of checks, keyed by the PostgreSQL source routine that reports the error when the check fails. Messages
 * can't be used as keys because they may be translated.
 */
const REFUSED_BY: Readonly<Record<string, 'privilege' | 'policy' | 'role'>> = {
  aclcheck_error: 'privilege',
  aclcheck_error_col: 'privilege',
  nextval_internal: 'privilege',
  ExecWithCheckOptions: 'policy',
  // PostgreSQL checks the value of the setting `role` in this routine.
  call_string_check_hook: 'role',
};

const LOOKS = { privilege: privileges, policy: policies, role: membership } as const;

export function createAdviser(db: Queryable, log: Logger): Advise {
  // Identical errors that occur at the same time share a single lookup.
  const inFlight = new Map<string, Promise<string | null>>();
  return async (error, plan, role, { schemas, permissionHints }) => {
    const { routine } = (error.cause ?? {}) as Partial<PostgresErrorShape>;
    const by = routine === undefined ? undefined : REFUSED_BY[routine];
    if (permissionHints === 'off' || error.code !== '42501' || error.hint !== null || by === undefined)
      return error;
    const hintRequest = { role, plan, schemas, extent: permissionHints, message: error.message };
    const key = JSON.stringify([role, error.message, permissionHints, requiredPrivilegesOf(plan)]);
    try {
      let response = inFlight.get(key);
      if (response === undefined) {
        response = LOOKS[by](db, hintRequest).finally(() => inFlight.delete(key));
        inFlight.set(key, response);
      }
      return withHint(error, await response);
    } catch (cause) {
      log.debug({ error: cause }, 'failed to determine a permission hint');
      return error;
    }
  };
}

const withHint = (error: RestError, hint: string | null): RestError => {
  const { code, status, reason, message, details, headers, cause } = error;
  return new RestError({ code, status, reason, message, details, hint, headers, cause });
};

interface HintRequest {
  readonly role: string;
  readonly plan: CrudPlan;
  /** The exposed schemas. Hints don't disclose anything about other schemas. */
  readonly schemas: readonly string[];
  readonly extent: Extent;
  readonly message: string;
}

async function privileges(db: Queryable, { role, plan, schemas, extent }: HintRequest): Promise<string> {
  const missing = await selectMissing(db, role, requiredPrivilegesOf(plan), schemas);
  if (missing.length === 0) return BEHIND_THE_REQUEST;
  const [quoted = role] = await selectQuoted(db, [role]);
  return privilegeHint(quoted, missing, extent);
}

/**
 * Returns a hint if the login role can't switch to the request's role. Otherwise, a function tried to switch to a
 * different role, and the result is null.
 */
async function membership(db: Queryable, { role }: HintRequest): Promise<string | null> {
  const login = await selectLoginWithout(db, role);
  const [quoted = role] = await selectQuoted(db, [role]);
  return login === undefined ? null : membershipHint(quoted, login);
}

async function policies(db: Queryable, { role, plan, extent, message }: HintRequest): Promise<string> {
  if (plan.kind !== 'write' || !message.includes(plan.write.table.name)) return ROW_BEHIND_THE_REQUEST;
  const { table } = plan.write;
  const [quoted = role, schema = '', name = ''] = await selectQuoted(db, [role, table.schema, table.name]);
  const row = {
    role: quoted,
    table: `${schema}.${name}`,
    commands: commandsOf(plan.write),
    returned: plan.write.returning.length > 0,
  };
  if (extent === 'short') return shortPolicyHint(row);
  return fullPolicyHint(row, await selectPolicies(db, role, table));
}

/**
 * Returns the commands whose policies a new row must satisfy. The commands include SELECT if the statement reads the
 * table.
 */
function commandsOf({ mutation, conflict, where, returning }: WritePlan): Command[] {
  const own: Command = mutation === 'update' ? 'UPDATE' : 'INSERT';
  const merges = conflict?.resolution === 'merge-duplicates' && conflict.columns.length > 0;
  const reads = returning.length > 0 || where.length > 0 || (conflict?.columns.length ?? 0) > 0;
  return [own, ...(merges ? (['UPDATE'] as const) : []), ...(reads ? (['SELECT'] as const) : [])];
}
