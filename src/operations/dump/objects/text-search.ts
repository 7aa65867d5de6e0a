import { sql } from '../../../base/kernel/sql.ts';
import type { CatalogObject, CatalogSession } from '../types.ts';

interface TextSearchRow {
  readonly catalog: 'pg_ts_parser' | 'pg_ts_template' | 'pg_ts_dict' | 'pg_ts_config';
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly owner: string | null;
  readonly definition: string;
  /** The mappings of a configuration: token types and the dictionaries for each token type. */
  readonly mappings: { tokens: string; dictionaries: string }[] | null;
}

export const readTextSearch = ({ query }: CatalogSession): Promise<TextSearchRow[]> =>
  query(sql`
    select 'pg_ts_parser' as catalog, p.oid, n.nspname as schema, prsname as name, format('%I.%I', n.nspname, prsname) as identity,
      null as owner,
      format('START = %s, GETTOKEN = %s, END = %s, LEXTYPES = %s%s', prsstart::oid::regproc, prstoken::oid::regproc,
        prsend::oid::regproc, prslextype::oid::regproc,
        coalesce(', HEADLINE = ' || nullif(prsheadline::oid, 0)::regproc, '')) as definition,
      null::json as mappings
    from pg_ts_parser p join pg_namespace n on n.oid = prsnamespace where p.oid >= 16384
    union all
    select 'pg_ts_template', t.oid, n.nspname, tmplname, format('%I.%I', n.nspname, tmplname), null,
      format('%sLEXIZE = %s', coalesce(format('INIT = %s, ', nullif(tmplinit::oid, 0)::regproc), ''), tmpllexize::oid::regproc), null
    from pg_ts_template t join pg_namespace n on n.oid = tmplnamespace where t.oid >= 16384
    union all
    select 'pg_ts_dict', d.oid, n.nspname, dictname, format('%I.%I', n.nspname, dictname), pg_get_userbyid(dictowner)::text,
      format('TEMPLATE = %I.%I%s', tn.nspname, tmplname, coalesce(', ' || dictinitoption, '')), null
    from pg_ts_dict d join pg_namespace n on n.oid = dictnamespace
    join pg_ts_template t on t.oid = dicttemplate join pg_namespace tn on tn.oid = tmplnamespace where d.oid >= 16384
    union all
    select 'pg_ts_config', c.oid, n.nspname, cfgname, format('%I.%I', n.nspname, cfgname), pg_get_userbyid(cfgowner)::text,
      format('PARSER = %I.%I', pn.nspname, prsname),
      (select json_agg(json_build_object('tokens', tokens, 'dictionaries', dictionaries) order by tokens)
       from (
         select string_agg(quote_ident(alias), ', ' order by alias) as tokens, dictionaries
         from (
           select tt.alias, string_agg(m.mapdict::regdictionary::text, ', ' order by m.mapseqno) as dictionaries
           from pg_ts_config_map m join ts_token_type(c.cfgparser) tt on tt.tokid = m.maptokentype
           where m.mapcfg = c.oid group by tt.alias) per_token
         group by dictionaries) grouped)
    from pg_ts_config c join pg_namespace n on n.oid = cfgnamespace
    join pg_ts_parser p on p.oid = cfgparser join pg_namespace pn on pn.oid = prsnamespace where c.oid >= 16384`);

const kinds = {
  pg_ts_parser: 'TEXT SEARCH PARSER',
  pg_ts_template: 'TEXT SEARCH TEMPLATE',
  pg_ts_dict: 'TEXT SEARCH DICTIONARY',
  pg_ts_config: 'TEXT SEARCH CONFIGURATION',
} as const;

export function textSearchObject(row: TextSearchRow): CatalogObject {
  const kind = kinds[row.catalog];
  return {
    key: `${row.catalog}:${row.oid}`,
    kind,
    schema: row.schema,
    name: row.name,
    identity: row.identity,
    section: 'pre',
    owner: row.owner ?? undefined,
    create: () => [
      `CREATE ${kind} ${row.identity} (${row.definition})`,
      ...(row.mappings ?? []).map(
        ({ tokens, dictionaries }) =>
          `ALTER TEXT SEARCH CONFIGURATION ${row.identity} ADD MAPPING FOR ${tokens} WITH ${dictionaries}`,
      ),
    ],
  };
}
