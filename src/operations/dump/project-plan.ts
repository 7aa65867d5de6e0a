/**
 * Reads a project's definitions as separate statements, which are the same as in a dump, and lists its tables. The
 * result is used to compare two databases that both contain the schemas of Plinth or the hosted service.
 */

import { sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';
import { completeDefaults, defaultPrivileges, grantStatements } from './core/acl.ts';
import { orderObjects, type Step } from './core/order.ts';
import { projectSelection } from './core/selection.ts';
import {
  bySchemaAndName,
  commentsByKey,
  isServiceRole,
  ownersOf,
  selectObjects,
  stepStatements,
} from './core/statements.ts';
import type { MoveStatement } from './move.ts';
import {
  isProjectRole,
  readMemberships,
  readRoleSettings,
  readRoles,
  roleStatements,
} from './objects/roles.ts';
import { readCatalog } from './read-catalog.ts';
import type { Catalog, CatalogObject, SequenceData, TableData } from './types.ts';

export interface ProjectPlan {
  /** The statements for roles, their memberships and their settings. */
  readonly roles: readonly MoveStatement[];
  /** The names of the project's roles. */
  readonly roleNames: readonly string[];
  /** The statements for the project's objects, in an order in which they can run. */
  readonly statements: readonly MoveStatement[];
  /** Statements that fill the materialized views. */
  readonly refreshes: readonly string[];
  /** Tables that contain the project's rows. */
  readonly tables: readonly TableData[];
  readonly sequences: readonly SequenceData[];
  /** Objects that the plan doesn't contain. */
  readonly unsupported: readonly string[];
  /** The catalog, which the caller needs for reading large objects. */
  readonly catalog: Catalog;
}

/** Returns the plan. The session must have the settings that a dump uses, and an open transaction. */
export async function planProject(session: CopySession): Promise<ProjectPlan> {
  const [auth] = await session.query<{ owner: string }>(
    sql`select pg_get_userbyid(nspowner)::text as owner from pg_namespace where nspname = 'auth'`,
  );
  const selection = projectSelection({
    schemas: [],
    excludedTables: [],
    withHistory: false,
    authOwner: auth?.owner,
  });
  const catalog = await readCatalog(session, { includes: selection.includes });
  const objects = selectObjects(catalog.objects, selection);
  const steps = orderObjects(objects, catalog.dependencies);
  const created = new Set(steps.map(({ object }) => object.key));
  const owners = ownersOf(catalog);
  const grants = objects
    .filter(({ acl, key }) => acl !== undefined && created.has(key))
    .toSorted(bySchemaAndName)
    .flatMap((object) =>
      object.acl === undefined
        ? []
        : grantStatements(object, object.acl, owners(object), catalog).map((text) => ({
            text,
            subject: `privileges on ${subjectOf(object)}`,
          })),
    );
  const defaults = completeDefaults(catalog.defaultAcls, catalog.apiRoles)
    .filter(({ role, schema }) => !isServiceRole(role) && (schema === null || selection.includes(schema)))
    .flatMap((entry) => defaultPrivileges(entry, catalog.apiRoles, catalog.serverVersion))
    .map((text) => ({ text, subject: 'default privileges' }));
  const rendered = render(steps, catalog);
  const roles = await readRoles(session);
  const input = {
    roles,
    memberships: await readMemberships(session),
    settings: await readRoleSettings(session),
  };
  return {
    roles: roleStatements(input).map((text) => ({ text, subject: 'roles' })),
    roleNames: roles.map(({ name }) => name).filter(isProjectRole),
    statements: [
      ...rendered.filter(({ section }) => section === 'pre'),
      ...rendered.filter(({ section }) => section === 'post'),
      ...grants,
      ...defaults,
      ...rendered.filter(({ section }) => section === 'final'),
    ],
    refreshes: steps
      .filter(({ object, what }) => what === 'object' && catalog.populated.has(object.key))
      .map(({ object }) => `REFRESH MATERIALIZED VIEW ${object.identity}`),
    tables: catalog.tables
      .filter(({ schema, name }) => selection.includesData(schema, name))
      .toSorted((a, b) => (a.table < b.table ? -1 : 1)),
    sequences: catalog.sequences.filter(({ schema }) => selection.includesData(schema, '')),
    unsupported: catalog.unsupported,
    catalog,
  };
}

const subjectOf = ({ kind, identity }: CatalogObject): string => `${kind} ${identity}`;

function render(
  steps: readonly Step[],
  catalog: Catalog,
): readonly (MoveStatement & { readonly section: Step['section'] })[] {
  const comments = commentsByKey(catalog.comments);
  return steps.flatMap((step) =>
    stepStatements(step, comments).map((text) => ({
      text,
      subject: subjectOf(step.object),
      kind: step.object.kind,
      identity: step.object.identity,
      section: step.section,
    })),
  );
}
