/** Renders GRANT, REVOKE and ALTER DEFAULT PRIVILEGES from PostgreSQL's access control lists. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Acl, AclTarget, Catalog, CatalogObject, DefaultAcl } from '../types.ts';
import { list } from './text.ts';

export interface AclItem {
  /** The empty string stands for PUBLIC. */
  readonly grantee: string;
  /** The letters of the privileges without the grant option (`plain`) and with the grant option (`grantable`). */
  readonly plain: string;
  readonly grantable: string;
}

/** @example parseAclItem('anon=r*w/postgres'); // { grantee: 'anon', plain: 'w', grantable: 'r' } */
export function parseAclItem(text: string): AclItem {
  const [, quoted, bare = '', letters = ''] = /^(?:"((?:[^"]|"")*)"|([^=]*))=([a-zA-Z*]*)\//.exec(text) ?? [];
  const privileges = letters.match(/[a-zA-Z]\*?/g) ?? [];
  return {
    grantee: quoted === undefined ? bare : quoted.replaceAll('""', '"'),
    plain: privileges.filter((letter) => letter.length === 1).join(''),
    grantable: privileges
      .filter((letter) => letter.length === 2)
      .map((letter) => letter[0])
      .join(''),
  };
}

const privilegeNames: Readonly<Record<string, string>> = {
  r: 'SELECT',
  a: 'INSERT',
  w: 'UPDATE',
  d: 'DELETE',
  D: 'TRUNCATE',
  x: 'REFERENCES',
  t: 'TRIGGER',
  m: 'MAINTAIN',
  X: 'EXECUTE',
  U: 'USAGE',
  C: 'CREATE',
};

interface Target {
  readonly letters: string;
  /** The letters of the privileges that PUBLIC has by default. */
  readonly publicLetters: string;
  /** The letter that pg_default_acl uses for this kind of object. */
  readonly defaultType: string;
  /** The keyword in ALTER DEFAULT PRIVILEGES, such as `TABLES`. */
  readonly plural: string;
}

function targetOf(target: AclTarget, serverVersion: number): Target {
  switch (target) {
    case 'TABLE':
      return {
        letters: serverVersion >= 170_000 ? 'arwdDxtm' : 'arwdDxt',
        publicLetters: '',
        defaultType: 'r',
        plural: 'TABLES',
      };
    case 'SEQUENCE':
      return { letters: 'rwU', publicLetters: '', defaultType: 'S', plural: 'SEQUENCES' };
    case 'FUNCTION':
    case 'PROCEDURE':
      return { letters: 'X', publicLetters: 'X', defaultType: 'f', plural: 'FUNCTIONS' };
    case 'TYPE':
    case 'DOMAIN':
      return { letters: 'U', publicLetters: 'U', defaultType: 'T', plural: 'TYPES' };
    case 'SCHEMA':
      return { letters: 'UC', publicLetters: '', defaultType: 'n', plural: 'SCHEMAS' };
    case 'LANGUAGE':
      return { letters: 'U', publicLetters: 'U', defaultType: '', plural: '' };
    case 'LARGE OBJECT':
      return { letters: 'rw', publicLetters: '', defaultType: 'L', plural: 'LARGE OBJECTS' };
    case 'FOREIGN DATA WRAPPER':
    case 'FOREIGN SERVER':
      return { letters: 'U', publicLetters: '', defaultType: '', plural: '' };
  }
}

const roleName = (role: string): string => (role === '' ? 'PUBLIC' : quoteIdentifier(role));

const includesAll = (have: string, wanted: string): boolean =>
  [...wanted].every((letter) => have.includes(letter));

/** Merges each grantee's items, because several roles may have granted privileges to the same grantee. */
function byGrantee(items: readonly string[]): Map<string, AclItem> {
  const merged = new Map<string, AclItem>();
  for (const item of items.map(parseAclItem)) {
    const known = merged.get(item.grantee);
    merged.set(item.grantee, {
      grantee: item.grantee,
      plain: (known?.plain ?? '') + item.plain,
      grantable: (known?.grantable ?? '') + item.grantable,
    });
  }
  return new Map([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Change {
  readonly revoke: (role: string) => string;
  readonly grant: (privileges: string, role: string, withOption: boolean) => string;
}

interface Privileges {
  readonly items: readonly string[] | null;
  /** The object's owner. Undefined if the items only add privileges. */
  readonly owner: string | undefined;
  readonly target: Target;
  /** The roles that may have received privileges on the new object by default. */
  readonly others: readonly string[];
}

/** Returns the statements that turn an object's initial privileges into `items`. */
function changes({ items, owner, target, others }: Privileges, { revoke, grant }: Change): string[] {
  const { letters, publicLetters } = target;
  const actual = byGrantee(
    items ?? [
      `${quoteIdentifier(owner ?? '')}=${letters}/`,
      ...(publicLetters === '' ? [] : [`=${publicLetters}/`]),
    ],
  );
  const lettersOf = (role: string): string =>
    (actual.get(role)?.plain ?? '') + (actual.get(role)?.grantable ?? '');
  const revoked = new Set<string>();
  if (!includesAll(lettersOf(''), publicLetters)) revoked.add('');
  if (owner !== undefined && !includesAll(lettersOf(owner), letters)) revoked.add(owner);
  for (const role of others) {
    if (role !== owner && role !== '' && !includesAll(lettersOf(role), letters)) revoked.add(role);
  }
  const statements = [...revoked].sort().map((role) => revoke(roleName(role)));
  for (const [role, { plain, grantable }] of actual) {
    const isInitial =
      (role === owner || (role === '' && publicLetters !== '' && plain === publicLetters)) &&
      !revoked.has(role);
    if (isInitial && grantable === '') continue;
    const granted = (privileges: string, withOption: boolean): string[] =>
      privilegeLists(privileges, letters).map(({ names, since }) =>
        guarded(grant(names, roleName(role), withOption), since),
      );
    if (plain !== '' && !isInitial) statements.push(...granted(plain, false));
    if (grantable !== '') statements.push(...granted(grantable, true));
  }
  return statements;
}

interface PrivilegeList {
  readonly names: string;
  /** The first PostgreSQL version that has these privileges. */
  readonly since?: number;
}

/**
 * MAINTAIN is granted in a separate statement, so that earlier PostgreSQL versions can still grant the other
 * privileges.
 */
function privilegeLists(letters: string, all: string): PrivilegeList[] {
  if (includesAll(letters, all)) return [{ names: 'ALL' }];
  const names = [...new Set(letters.replaceAll('m', ''))].map((letter) => privilegeNames[letter] ?? letter);
  return [
    ...(names.length === 0 ? [] : [{ names: list(names.sort()) }]),
    ...(letters.includes('m') ? [{ names: 'MAINTAIN', since: 170_000 }] : []),
  ];
}

const guarded = (statement: string, since: number | undefined): string =>
  since === undefined
    ? statement
    : `DO $$BEGIN IF current_setting('server_version_num')::int >= ${since} THEN ${statement}; END IF; END$$`;

/** Returns the statements that set an object's privileges, regardless of default privileges in the target database. */
export function grantStatements(
  object: Pick<CatalogObject, 'kind' | 'identity' | 'schema'>,
  acl: Acl,
  owner: string,
  { defaultAcls, apiRoles, serverVersion }: Pick<Catalog, 'defaultAcls' | 'apiRoles' | 'serverVersion'>,
): string[] {
  const target = initialOf(object, targetOf(acl.target, serverVersion));
  const on = `ON ${acl.target} ${grantIdentity(object)}`;
  const byDefault = defaultAcls
    .filter(
      ({ type, schema }) => type === target.defaultType && (schema === null || schema === object.schema),
    )
    .flatMap(({ items }) => items.map((item) => parseAclItem(item).grantee));
  const others = [...byDefault, ...(hasApiDefaults(object.schema, target.defaultType) ? apiRoles : [])];
  const whole = changes(
    { items: acl.items, owner, target, others },
    {
      revoke: (role) => `REVOKE ALL ${on} FROM ${role}`,
      grant: (privileges, role, withOption) =>
        `GRANT ${privileges} ${on} TO ${role}${withOption ? ' WITH GRANT OPTION' : ''}`,
    },
  );
  const columns = (acl.columns ?? []).flatMap(({ column, items }) =>
    [...byGrantee(items).values()].flatMap(({ grantee, plain, grantable }) =>
      [
        [plain, ''],
        [grantable, ' WITH GRANT OPTION'],
      ].flatMap(([letters = '', option]) => {
        if (letters === '') return [];
        const names = [...new Set(letters)].map((letter) => `${privilegeNames[letter]}(${column})`);
        return [`GRANT ${list(names.sort())} ${on} TO ${roleName(grantee)}${option}`];
      }),
    ),
  );
  return [...whole, ...columns];
}

/** By default, every role has the privilege USAGE on the schema `public` of a new database. */
const initialOf = ({ kind, identity }: Pick<CatalogObject, 'kind' | 'identity'>, target: Target): Target =>
  kind === 'SCHEMA' && identity === 'public' ? { ...target, publicLetters: 'U' } : target;

/** In GRANT, an aggregate's arguments are written like those of a function. */
const grantIdentity = ({ kind, identity }: Pick<CatalogObject, 'kind' | 'identity'>): string =>
  kind === 'AGGREGATE'
    ? identity
        .replace('(*)', '()')
        .replace(/ ?ORDER BY /, ', ')
        .replace('(, ', '(')
    : identity;

const defaultTargets: Readonly<Record<string, AclTarget>> = {
  r: 'TABLE',
  S: 'SEQUENCE',
  f: 'FUNCTION',
  T: 'TYPE',
  n: 'SCHEMA',
  L: 'LARGE OBJECT',
};

/**
 * Whether Plinth and the hosted service grant the API roles privileges on the schema or on new objects in the schema.
 */
const hasApiDefaults = (schema: string | null | undefined, type: string): boolean =>
  schema === 'public' && (type === schemaType || apiDefaultTypes.includes(type));

const schemaType = 'n';

const apiDefaultTypes = 'rSf';

/**
 * Returns the database's default privileges. Adds an empty entry for each object kind for which the project removed the
 * default privileges that Plinth and the hosted service set.
 */
export function completeDefaults(defaults: readonly DefaultAcl[], apiRoles: readonly string[]): DefaultAcl[] {
  if (apiRoles.length === 0) return [...defaults];
  const removed = [...apiDefaultTypes].filter(
    (type) =>
      !defaults.some(
        (entry) => entry.role === 'postgres' && entry.schema === 'public' && entry.type === type,
      ),
  );
  return [...defaults, ...removed.map((type) => ({ role: 'postgres', schema: 'public', type, items: [] }))];
}

/**
 * An entry for a single schema only adds privileges to the initial privileges. An entry for all schemas replaces the
 * initial privileges.
 */
export function defaultPrivileges(
  { role, schema, type, items }: DefaultAcl,
  apiRoles: readonly string[],
  serverVersion: number,
): string[] {
  const name = defaultTargets[type];
  if (name === undefined) return [];
  const target = targetOf(name, serverVersion);
  const prefix = `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoteIdentifier(role)}${schema === null ? '' : ` IN SCHEMA ${quoteIdentifier(schema)}`}`;
  const change: Change = {
    revoke: (from) => `${prefix} REVOKE ALL ON ${target.plural} FROM ${from}`,
    grant: (privileges, to, withOption) =>
      `${prefix} GRANT ${privileges} ON ${target.plural} TO ${to}${withOption ? ' WITH GRANT OPTION' : ''}`,
  };
  if (schema === null) return changes({ items, owner: role, target, others: [] }, change);
  const others = role === 'postgres' && hasApiDefaults(schema, type) ? apiRoles : [];
  return changes({ items, owner: undefined, target: { ...target, publicLetters: '' }, others }, change);
}
