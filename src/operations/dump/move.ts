/**
 * Plans the move of a whole database to an empty database, with all objects in the catalogs, including those in
 * Plinth's schemas. Unlike a dump, the plan specifies a role for each statement whose expressions could call a
 * project's functions.
 */
import type { CopySession } from '../../platform/database/index.ts';
import { defaultPrivileges, grantStatements } from './core/acl.ts';
import { orderObjects, type Step } from './core/order.ts';
import { bySchemaAndName, commentsByKey, ownersOf, stepStatements } from './core/statements.ts';
import { literal } from './core/text.ts';
import { sessionSettings } from './dump.ts';
import { largeObjectStatements } from './large-objects.ts';
import { readSequenceValue } from './objects/relation-rows.ts';
import { readCatalog } from './read-catalog.ts';
import type { Catalog, CatalogObject, ObjectKind, TableData } from './types.ts';

export interface MoveStatement {
  readonly text: string;
  /** The object that the statement creates or changes, such as `TABLE public.items`. Used in messages. */
  readonly subject: string;
  readonly kind?: ObjectKind;
  /** The quoted name. */
  readonly identity?: string;
  /** The role that runs the statement. If no role is specified, a superuser runs the statement. */
  readonly role?: string;
}

export interface MovePlan {
  readonly beforeData: readonly MoveStatement[];
  readonly tables: readonly TableData[];
  /** Tables that the extensions in the target database have already created and filled. */
  readonly memberTables: readonly TableData[];
  readonly afterData: readonly MoveStatement[];
  /** Objects that the plan doesn't contain. */
  readonly unsupported: readonly string[];
  /** The statements that set the values of sequences. */
  sequences(): AsyncGenerator<string>;
  largeObjects(): AsyncGenerator<string>;
}

/**
 * Returns the plan. Begins a transaction with a single snapshot. The caller must not use the session for other
 * statements.
 */
export async function planMove(session: CopySession): Promise<MovePlan> {
  await session.exec(`${sessionSettings};begin isolation level repeatable read read only`);
  // The list of API roles is empty, because the new database doesn't have any default privileges until the end of the
  // move.
  const read = await readCatalog(session, { includes: () => true });
  const catalog: Catalog = { ...read, apiRoles: [] };
  const steps = orderObjects(catalog.objects, catalog.dependencies);
  const comments = commentsByKey(catalog.comments);
  const owners = ownersOf(catalog);
  const render = (section: Step['section']): MoveStatement[] =>
    steps
      .filter((step) => step.section === section)
      .flatMap((step) =>
        stepStatements(step, comments).map((text) => ({
          ...describe(step.object),
          text: step.object.kind === 'FOREIGN KEY' ? withoutValidation(text) : text,
          ...roleOf(step, owners),
        })),
      );
  const isEarly = new Set(steps.filter(({ section }) => section === 'pre').map(({ object }) => object.key));
  const grants = (wanted: (object: CatalogObject) => boolean): MoveStatement[] =>
    catalog.objects
      .filter((object) => object.acl !== undefined && wanted(object))
      .toSorted(bySchemaAndName)
      .flatMap((object) =>
        object.acl === undefined
          ? []
          : grantStatements(object, object.acl, owners(object), catalog).map((text) => ({
              text,
              subject: `privileges on ${describe(object).subject}`,
            })),
      );
  const defaults = catalog.defaultAcls
    .flatMap((entry) => defaultPrivileges(entry, [], catalog.serverVersion))
    .map((text) => ({ text, subject: 'default privileges' }));
  const refreshed = steps
    .filter(({ object, what }) => what === 'object' && catalog.populated.has(object.key))
    .map(({ object }) => ({ ...describe(object), text: `REFRESH MATERIALIZED VIEW ${object.identity}` }));
  const memberNames = new Set(catalog.memberTables.map(({ table }) => table));
  return {
    beforeData: [...render('pre'), ...grants(({ key }) => isEarly.has(key))],
    tables: catalog.tables.filter(({ table }) => !memberNames.has(table)).toSorted(byTable),
    memberTables: catalog.memberTables.toSorted(byTable),
    afterData: [
      ...render('post'),
      ...grants(({ key }) => !isEarly.has(key)),
      ...refreshed,
      ...render('final'),
      ...defaults,
    ],
    unsupported: catalog.unsupported,
    async *sequences() {
      for (const { sequence } of [...catalog.sequences, ...catalog.memberSequences]) {
        const { lastValue, isCalled } = await readSequenceValue(session, sequence);
        yield `SELECT pg_catalog.setval(${literal(sequence)}, ${lastValue}, ${isCalled})`;
      }
    },
    largeObjects: () => largeObjectStatements(session, catalog),
  };
}

const byTable = (a: TableData, b: TableData): number => (a.table < b.table ? -1 : 1);

const describe = ({ kind, identity }: CatalogObject) => ({ kind, identity, subject: `${kind} ${identity}` });

/** The kinds of objects whose statements can evaluate the project's expressions in the current session. */
const evaluated: ReadonlySet<ObjectKind> = new Set([
  'TABLE',
  'FOREIGN TABLE',
  'DOMAIN',
  'PARTITION',
  'CONSTRAINT',
  'INDEX',
  'INDEX PARTITION',
]);

/**
 * Returns the role that must run a statement. PostgreSQL evaluates function calls with constant arguments when it
 * creates a table or a domain and when it reads an index definition. When PostgreSQL adds a check constraint, it
 * evaluates the constraint for all rows. For other kinds of objects, PostgreSQL either doesn't call functions or
 * switches to the owner itself.
 */
function roleOf({ object }: Step, owners: (object: CatalogObject) => string): { role?: string } {
  if (object.kind === 'EXTENSION') return object.creator === undefined ? {} : { role: object.creator };
  const owner = evaluated.has(object.kind) ? owners(object) : '';
  return owner === '' ? {} : { role: owner };
}

/**
 * Adds foreign keys without validation. Validation would read both tables in the current session, and PostgreSQL's
 * planner would evaluate the predicates of their indexes.
 */
const withoutValidation = (text: string): string =>
  text.startsWith('ALTER TABLE') && text.includes(' FOREIGN KEY ') && !/ NOT (VALID|ENFORCED)$/.test(text)
    ? `${text} NOT VALID`
    : text;
