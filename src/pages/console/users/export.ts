/**
 * Exports users to a CSV or JSON file. The file doesn't contain password hashes, tokens or secrets of second factors.
 */
import type { Readable } from 'node:stream';
import { sql } from '../../../base/kernel/sql.ts';
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import type { TransactionWork } from '../../../platform/database/types.ts';
import { type Printer, streamRows } from '../tables/export.ts';
import type { UserFilter, UserView } from './contract.ts';
import { matching } from './filters.ts';
import { nameOf, orderOf, providersOf } from './list.ts';

export type UserExportFormat = 'csv' | 'json';

const columns = [
  'id',
  'email',
  'phone',
  'name',
  'providers',
  'created_at',
  'last_sign_in_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'banned_until',
  'is_anonymous',
  'is_sso_user',
  'factors',
  'app_metadata',
  'user_metadata',
] as const;

export function exportUsers(
  run: <T>(work: TransactionWork<T>) => Promise<T>,
  view: UserFilter & Pick<UserView, 'sort' | 'order'>,
  format: UserExportFormat,
  signal: AbortSignal,
): Promise<Readable> {
  const rows = sql`
    select u.id, u.email, u.phone, ${nameOf} as name, ${providersOf} as providers, u.created_at, u.last_sign_in_at,
           u.email_confirmed_at, u.phone_confirmed_at, u.banned_until, u.is_anonymous, u.is_sso_user,
           array(select f.factor_type::text from auth.mfa_factors f
                 where f.user_id = u.id and f.status = 'verified' order by f.created_at) as factors,
           u.raw_app_meta_data as app_metadata, u.raw_user_meta_data as user_metadata
    from auth.users u where ${matching(view)} order by ${orderOf(view)}`;
  if (format === 'json')
    return streamRows(run, sql`select row_to_json(page.*)::text from (${rows}) page`, jsonPrinter, signal);
  const cells = columns.map((name) =>
    name === 'providers' || name === 'factors'
      ? sql`array_to_string(${sql.id(name)}, ' ')`
      : sql`${sql.id(name)}::text`,
  );
  return streamRows(run, sql`select ${sql.join(cells)} from (${rows}) page`, csvPrinter, signal);
}

const jsonPrinter: Printer = {
  head: '[',
  row: ([text], isFirst) => `${isFirst ? '\n' : ',\n'}${text}`,
  tail: '\n]\n',
};

/** Formulas in cells are neutralized, because users choose their own names and metadata. */
const csvPrinter: Printer = {
  head: csvLine(columns),
  row: (cells) => csvLine(cells.map(guardedCell)),
  tail: '',
};
