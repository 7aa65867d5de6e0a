/** The audit log of operator actions. Entries can't be changed or deleted (sql/0001_console.sql). */
import type { FastifyRequest } from 'fastify';
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { boundedDetail, cutText } from './core/changed-values.ts';

/** Records an action. This function must be called after each change and before a secret is returned. */
export type Audit = (
  /**
   * The operator and the request that caused the action. The call object of a route contains the operator and the
   * request.
   */
  by: { readonly operator: Actor; readonly request?: Pick<FastifyRequest, 'id'> },
  /** The action as `subject.verb`, such as `row.delete`. */
  action: string,
  /**
   * The target's name, such as `public.tasks`, an email address or a bucket name. Empty if the action has no target.
   */
  target: string,
  /**
   * The details. The details must not contain secrets, because every operator can read the log. Old and new values are
   * stored in the field `changes` (core/changed-values.ts).
   */
  detail?: object,
) => Promise<void>;

export interface Actor {
  /** The operator's ID. Null for actions from the command line. */
  readonly id: string | null;
  readonly name: string;
}

/**
 * The operator recorded for commands. Commands have no signed-in operator, because anyone with access to the project
 * folder can run them.
 */
export const commandLine: Actor = { id: null, name: 'command line' };

/** The maximum length of a target's name. The names of all objects, users and files are shorter. */
const maxTargetLength = 2000;

export const createAudit =
  (db: Queryable): Audit =>
  async ({ operator, request }, action, target, detail = {}) => {
    await db.query(sql`
      insert into _plinth.audit_log (operator_id, operator_name, action, target, detail, request_id)
      values (${operator.id}, ${operator.name}, ${action}, ${cutText(target, maxTargetLength)}, ${boundedDetail(detail)},
        ${request?.id ?? null})`);
  };
