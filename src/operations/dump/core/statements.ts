/** Returns the statements of a dump in the order in which they run, without the rows. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Catalog, CatalogObject, Comment, ObjectKind, Selection } from '../types.ts';
import { completeDefaults, defaultPrivileges, grantStatements } from './acl.ts';
import { orderObjects, type Step } from './order.ts';
import { literal } from './text.ts';

export interface Statements {
  readonly beforeData: readonly string[];
  readonly afterData: readonly string[];
  readonly objects: number;
}

/**
 * Whether the role belongs to one of the services. Plinth and the hosted service set the default privileges of these
 * roles themselves.
 */
export const isServiceRole = (role: string): boolean => /^(supabase_.*|dashboard_user|pgbouncer)$/.test(role);

export function renderStatements(catalog: Catalog, selection: Selection): Statements {
  const objects = selectObjects(catalog.objects, selection);
  const steps = orderObjects(objects, catalog.dependencies);
  const comments = commentsByKey(catalog.comments);
  const render = (wanted: (step: Step) => boolean): string[] =>
    steps.filter(wanted).flatMap((step) => stepStatements(step, comments));
  const created = new Set(steps.map(({ object }) => object.key));
  const owners = ownersOf(catalog);
  const grants = objects
    .filter(({ acl, key }) => acl !== undefined && created.has(key))
    .toSorted(bySchemaAndName)
    .flatMap((object) =>
      object.acl === undefined ? [] : grantStatements(object, object.acl, owners(object), catalog),
    );
  const defaults = completeDefaults(catalog.defaultAcls, catalog.apiRoles)
    .filter(({ role, schema }) => !isServiceRole(role) && (schema === null || selection.includes(schema)))
    .flatMap((entry) => defaultPrivileges(entry, catalog.apiRoles, catalog.serverVersion));
  const refreshed = steps
    .filter(({ object, what }) => what === 'object' && catalog.populated.has(object.key))
    .map(({ object }) => `REFRESH MATERIALIZED VIEW ${object.identity}`);
  return {
    objects: objects.length,
    beforeData: render(({ section }) => section === 'pre'),
    afterData: [
      ...render(({ section }) => section === 'post'),
      ...grants,
      ...defaults,
      ...refreshed,
      ...render(({ section }) => section === 'final'),
    ],
  };
}

/**
 * Returns a function that finds an object's owner. An identity sequence has the same owner as its table. The schema
 * `public` belongs to a predefined role.
 */
export function ownersOf({ objects }: Pick<Catalog, 'objects'>): (object: CatalogObject) => string {
  const owners = new Map(objects.map(({ key, owner }) => [key, owner]));
  return ({ owner, kind, needs = [] }) => {
    if (owner !== undefined) return owner;
    if (kind === 'SCHEMA') return 'pg_database_owner';
    return needs.map((key) => owners.get(key)).find((found) => found !== undefined) ?? '';
  };
}

/**
 * Returns all objects in the included schemas. From other schemas, returns only the project's objects and the objects
 * that belong to them.
 */
export function selectObjects(objects: readonly CatalogObject[], selection: Selection): CatalogObject[] {
  const own = new Set<string>();
  return objects.filter((object) => {
    const { schema, needs = [], key } = object;
    const isSelected =
      (schema === undefined && selection.includesGlobal(object)) ||
      (schema !== undefined && selection.includes(schema)) ||
      selection.isOwn(object) ||
      needs.some((each) => own.has(each));
    if (isSelected && schema !== undefined && !selection.includes(schema)) own.add(key);
    return isSelected;
  });
}

export const bySchemaAndName = (a: CatalogObject, b: CatalogObject): number => {
  const [first, second] = [a, b].map(({ kind, schema = '', name }) => [kind, schema, name].join('\0'));
  return (first as string) < (second as string) ? -1 : 1;
};

export function commentsByKey(comments: readonly Comment[]): ReadonlyMap<string, readonly Comment[]> {
  const byKey = new Map<string, Comment[]>();
  for (const comment of comments) byKey.set(comment.key, [...(byKey.get(comment.key) ?? []), comment]);
  return byKey;
}

export function stepStatements(
  { object, what, separate }: Step,
  comments: ReadonlyMap<string, readonly Comment[]>,
): string[] {
  if (typeof what === 'object') {
    const { part } = what;
    return [part.statement, ...partComments([part], comments)];
  }
  const created = what === 'placeholder' ? [object.placeholder ?? ''] : [...object.create(separate)];
  if (what === 'query') return created;
  const included = (object.parts ?? []).filter(({ key }) => !separate.has(key));
  return [
    ...created,
    ...(object.owner === undefined
      ? []
      : [`ALTER ${object.kind} ${object.identity} OWNER TO ${quoteIdentifier(object.owner)}`]),
    ...objectComments(object, comments),
    ...partComments(included, comments),
  ];
}

const commentKinds: Partial<Record<ObjectKind, string>> = { 'FOREIGN KEY': 'CONSTRAINT' };

function objectComments(object: CatalogObject, comments: ReadonlyMap<string, readonly Comment[]>): string[] {
  return [object.key, ...(object.aliases ?? [])]
    .flatMap((key) => comments.get(key) ?? [])
    .map(({ key, column, text, provider }) => {
      const whole =
        object.kind === 'CONSTRAINT' && key !== object.key
          ? `INDEX ${indexOf(object)}`
          : `${commentKinds[object.kind] ?? object.kind} ${object.identity}`;
      const target = column === null ? whole : `COLUMN ${object.identity}.${column}`;
      return provider === undefined
        ? `COMMENT ON ${target} IS ${literal(text)}`
        : securityLabel(provider, target, text);
    });
}

/**
 * Returns the statement that sets a security label. If the label's provider isn't loaded on the target server, the
 * statement raises a warning instead of an error, because the label would have no effect.
 */
export function securityLabel(provider: string, target: string, label: string): string {
  const statement = `SECURITY LABEL FOR ${quoteIdentifier(provider)} ON ${target} IS ${literal(label)}`;
  return `DO LANGUAGE plpgsql ${literal(
    `BEGIN ${statement}; EXCEPTION WHEN invalid_parameter_value THEN RAISE WARNING '%', sqlerrm; END`,
  )}`;
}

/** Returns the name of a constraint's index, which has the constraint's name and is in the table's schema. */
const indexOf = ({ schema = '', identity }: CatalogObject): string =>
  `${quoteIdentifier(schema)}.${identity.slice(0, identity.lastIndexOf(' ON '))}`;

const partComments = (
  parts: NonNullable<CatalogObject['parts']>,
  comments: ReadonlyMap<string, readonly Comment[]>,
): string[] =>
  parts.flatMap(({ key, comment }) =>
    comment === undefined
      ? []
      : (comments.get(key) ?? []).map(({ text }) => `COMMENT ON ${comment} IS ${literal(text)}`),
  );
