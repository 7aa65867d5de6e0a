import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { ServerRow, UserMappingRow, WrapperRow } from '../catalog/foreign.ts';
import { foreignOptions, literal } from '../core/text.ts';
import type { CatalogObject } from '../types.ts';

export const wrapperObject = (row: WrapperRow): CatalogObject => ({
  key: `pg_foreign_data_wrapper:${row.oid}`,
  kind: 'FOREIGN DATA WRAPPER',
  name: row.name,
  identity: row.name,
  section: 'pre',
  owner: row.owner,
  acl: { target: 'FOREIGN DATA WRAPPER', items: row.acl },
  create: () => [
    `CREATE FOREIGN DATA WRAPPER ${row.name}` +
      (row.handler === null ? '' : ` HANDLER ${row.handler}`) +
      (row.validator === null ? '' : ` VALIDATOR ${row.validator}`) +
      foreignOptions(row.options),
  ],
});

export const serverObject = (row: ServerRow): CatalogObject => ({
  key: `pg_foreign_server:${row.oid}`,
  kind: 'SERVER',
  name: row.name,
  identity: row.name,
  section: 'pre',
  owner: row.owner,
  acl: { target: 'FOREIGN SERVER', items: row.acl },
  create: () => [
    `CREATE SERVER ${row.name}` +
      (row.type === null ? '' : ` TYPE ${literal(row.type)}`) +
      (row.version === null ? '' : ` VERSION ${literal(row.version)}`) +
      ` FOREIGN DATA WRAPPER ${row.wrapper}${foreignOptions(row.options)}`,
  ],
});

const isPassword = (option: string): boolean => option.startsWith('password=');

/** Renders a user mapping without its password. */
export function userMappingObject(row: UserMappingRow): CatalogObject {
  const user = row.user === null ? 'PUBLIC' : quoteIdentifier(row.user);
  const identity = `FOR ${user} SERVER ${row.server}`;
  const options = (row.options ?? []).filter((option) => !isPassword(option));
  return {
    key: `pg_user_mapping:${row.oid}`,
    kind: 'USER MAPPING',
    name: identity,
    identity,
    section: 'pre',
    needs: [`pg_foreign_server:${row.serverOid}`],
    create: () => [`CREATE USER MAPPING ${identity}${foreignOptions(options)}`],
  };
}
