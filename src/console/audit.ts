/** The audit log: who did what to which thing. Entries are added and never changed (sql/0002_audit_log.sql). */
import type { FastifyRequest } from 'fastify';
import type { Queryable } from '../database/types.ts';
import { sql } from '../kernel/sql.ts';

/** Called after each change, and before what hands out a secret. */
export type Audit = (
  /** Who and in which request; a route's call is one. */
  by: { readonly operator: Actor; readonly request?: Pick<FastifyRequest, 'id'> },
  /** `subject.verb`, for example `row.delete`. */
  action: string,
  /** What it was done to, as a reader would name it: `public.tasks`, an email address, a bucket's name; '' for nothing. */
  target: string,
  /** Never a secret: everybody who may sign in can read the log. */
  detail?: object,
) => Promise<void>;

export interface Actor {
  /** Null: the command line. */
  readonly id: string | null;
  readonly name: string;
}

/** Who has the project's folder. */
export const commandLine: Actor = { id: null, name: 'command line' };

export const createAudit =
  (db: Queryable): Audit =>
  async ({ operator, request }, action, target, detail = {}) => {
    await db.query(sql`
      insert into _plinth.audit_log (operator_id, operator_name, action, target, detail, request_id)
      values (${operator.id}, ${operator.name}, ${action}, ${target}, ${detail}, ${request?.id ?? null})`);
  };
