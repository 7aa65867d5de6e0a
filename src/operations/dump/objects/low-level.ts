/**
 * Reads and renders objects that only a superuser can create: languages, access methods, transforms and subscriptions.
 */
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import { list, literal } from '../core/text.ts';
import type { CatalogObject, CatalogSession } from '../types.ts';

interface LanguageRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly isTrusted: boolean;
  readonly handler: string | null;
  readonly inline: string | null;
  readonly validator: string | null;
}

export const readLanguages = ({ query }: CatalogSession): Promise<LanguageRow[]> =>
  query(sql`
    select oid, quote_ident(lanname) as name, pg_get_userbyid(lanowner)::text as owner, lanacl::text[] as acl,
      lanpltrusted as "isTrusted", nullif(lanplcallfoid, 0)::regproc::text as handler,
      nullif(laninline, 0)::regproc::text as inline, nullif(lanvalidator, 0)::regproc::text as validator
    from pg_language where oid >= 16384 and lanispl`);

interface AccessMethodRow {
  readonly oid: number;
  readonly name: string;
  readonly type: 'TABLE' | 'INDEX';
  readonly handler: string;
}

export const readAccessMethods = ({ query }: CatalogSession): Promise<AccessMethodRow[]> =>
  query(sql`
    select oid, quote_ident(amname) as name, case amtype when 't' then 'TABLE' else 'INDEX' end as type,
      amhandler::oid::regproc::text as handler
    from pg_am where oid >= 16384`);

interface TransformRow {
  readonly oid: number;
  /** The identity in the syntax of COMMENT ON TRANSFORM: `FOR type LANGUAGE name`. */
  readonly identity: string;
  readonly functions: string[];
}

export const readTransforms = ({ query }: CatalogSession): Promise<TransformRow[]> =>
  query(sql`
    select t.oid, format('FOR %s LANGUAGE %I', format_type(trftype, null), lanname) as identity,
      array_remove(array[
        case when trffromsql <> 0 then 'FROM SQL WITH FUNCTION ' || trffromsql::oid::regprocedure end,
        case when trftosql <> 0 then 'TO SQL WITH FUNCTION ' || trftosql::oid::regprocedure end], null) as functions
    from pg_transform t join pg_language l on l.oid = trflang where t.oid >= 16384`);

interface SubscriptionRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly connection: string;
  readonly publications: string[];
  readonly slot: string | null;
  readonly enabled: boolean;
  /** The options of CREATE SUBSCRIPTION that differ from their default values, as text. */
  readonly options: string[];
}

/**
 * Returns the subscriptions. Only superusers can read the subscriptions' connection strings, so the result is undefined
 * for other roles.
 */
export async function readSubscriptions({
  query,
  serverVersion,
}: CatalogSession): Promise<SubscriptionRow[] | undefined> {
  const [allowed] = await query<{ readable: boolean }>(
    sql`select has_column_privilege('pg_catalog.pg_subscription', 'subconninfo', 'select') as readable`,
  );
  if (allowed?.readable !== true) return undefined;
  const since = (version: number, text: string) => sql.raw(serverVersion >= version ? text : 'null');
  // Before PostgreSQL 16, the option `streaming` was a boolean.
  const streaming = sql.raw(
    serverVersion >= 160_000
      ? `case s.substream when 't' then 'streaming = on' when 'p' then 'streaming = parallel' else 'streaming = off' end`
      : `case when s.substream then 'streaming = on' else 'streaming = off' end`,
  );
  return await query(sql`
    select s.oid, quote_ident(s.subname) as name, pg_get_userbyid(s.subowner)::text as owner, s.subconninfo as connection,
      s.subpublications::text[] as publications, s.subslotname::text as slot, s.subenabled as enabled,
      array_remove(array[
        case when s.subbinary then 'binary = true' end, ${streaming},
        case when s.subtwophasestate <> 'd' then 'two_phase = on' end,
        case when s.subdisableonerr then 'disable_on_error = true' end,
        case when s.subsynccommit <> 'off' then format('synchronous_commit = %L', s.subsynccommit) end,
        ${since(160_000, `case when not s.subpasswordrequired then 'password_required = false' end`)},
        ${since(160_000, `case when s.subrunasowner then 'run_as_owner = true' end`)},
        ${since(160_000, `case when s.suborigin <> 'any' then format('origin = %L', s.suborigin) end`)},
        ${since(170_000, `case when s.subfailover then 'failover = true' end`)}], null) as options
    from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database()`);
}

export const readSubscriptionNames = ({ query }: CatalogSession): Promise<{ name: string }[]> =>
  query(sql`
    select quote_ident(subname) as name from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database() order by 1`);

export function languageObject(row: LanguageRow): CatalogObject {
  const functions = [
    ['HANDLER', row.handler],
    ['INLINE', row.inline],
    ['VALIDATOR', row.validator],
  ].flatMap(([word, name]) => (name === null ? [] : [` ${word} ${name}`]));
  return {
    key: `pg_language:${row.oid}`,
    kind: 'LANGUAGE',
    name: row.name,
    identity: row.name,
    section: 'pre',
    owner: row.owner,
    acl: { target: 'LANGUAGE', items: row.acl },
    create: () => [`CREATE ${row.isTrusted ? 'TRUSTED ' : ''}LANGUAGE ${row.name}${functions.join('')}`],
  };
}

export const accessMethodObject = (row: AccessMethodRow): CatalogObject => ({
  key: `pg_am:${row.oid}`,
  kind: 'ACCESS METHOD',
  name: row.name,
  identity: row.name,
  section: 'pre',
  create: () => [`CREATE ACCESS METHOD ${row.name} TYPE ${row.type} HANDLER ${row.handler}`],
});

export const transformObject = (row: TransformRow): CatalogObject => ({
  key: `pg_transform:${row.oid}`,
  kind: 'TRANSFORM',
  name: row.identity,
  identity: row.identity,
  section: 'pre',
  create: () => [`CREATE TRANSFORM ${row.identity} (${list(row.functions)})`],
});

/**
 * Renders a subscription without its password. The subscription is created disabled and without a connection, so that a
 * copy of the database doesn't receive the changes that the original database receives.
 */
export function subscriptionObject(row: SubscriptionRow): CatalogObject {
  const parameters = [
    'connect = false',
    'enabled = false',
    `slot_name = ${row.slot === null ? 'NONE' : literal(row.slot)}`,
    ...row.options,
  ];
  return {
    key: `pg_subscription:${row.oid}`,
    kind: 'SUBSCRIPTION',
    name: row.name,
    identity: row.name,
    section: 'final',
    owner: row.owner,
    create: () => [
      `CREATE SUBSCRIPTION ${row.name} CONNECTION ${literal(withoutPassword(row.connection))}\n` +
        `    PUBLICATION ${list(row.publications.map(quoteIdentifier))} WITH (${list(parameters)})`,
    ],
  };
}

/**
 * Removes the password from a libpq connection string in either format.
 *
 * @example withoutPassword("host=db password='a b' dbname=x"); // 'host=db dbname=x'
 */
export function withoutPassword(text: string): string {
  if (/^postgres(ql)?:\/\//.test(text))
    return text
      .replace(/^(postgres(?:ql)?:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@')
      .replace(/([?&])(?:ssl)?password=[^&#]*(&?)/g, (_all, before: string, after: string) =>
        after === '' ? '' : before,
      );
  const value = String.raw`(?:'(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)`;
  return text.replace(new RegExp(String.raw`(^|\s)(?:ssl)?password\s*=\s*${value}`, 'g'), '$1').trim();
}
