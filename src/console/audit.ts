/** The audit log of operators' actions. Entries are never changed (sql/0002_audit_log.sql). */
import type { FastifyRequest } from 'fastify';
import type { Queryable } from '../database/types.ts';
import { sql } from '../kernel/sql.ts';

/** Called after each change, and before a secret is returned. */
export type Audit = (
  /** The operator and the request. A route's call has both. */
  by: { readonly operator: Actor; readonly request?: Pick<FastifyRequest, 'id'> },
  /** `subject.verb`, for example `row.delete`. */
  action: string,
  /** The target's display name: `public.tasks`, an email address or a bucket's name. '' if there is no target. */
  target: string,
  /** Must not contain secrets, because every operator can read the log. */
  detail?: object,
) => Promise<void>;

export interface Actor {
  /** Null for the command line. */
  readonly id: string | null;
  readonly name: string;
}

/** Anyone with access to the project's folder. */
export const commandLine: Actor = { id: null, name: 'command line' };

export const createAudit =
  (db: Queryable): Audit =>
  async ({ operator, request }, action, target, detail = {}) => {
    await db.query(sql`
      insert into _plinth.audit_log (operator_id, operator_name, action, target, detail, request_id)
      values (${operator.id}, ${operator.name}, ${action}, ${target}, ${detail}, ${request?.id ?? null})`);
  };
