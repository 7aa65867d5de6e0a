/** Compiles `pageInfo`. */

import { GraphqlError } from '../error.ts';
import type { Selected } from '../request/normalize.ts';
import { fieldOf, namedType } from '../schema/lookup.ts';
import type { Field } from '../schema/types.ts';
import { cursorOf } from './cursor.ts';
import { jsonObject, literal, type Sql, sql } from './fragments.ts';
import type { Connection, Page } from './page.ts';

export function pageInfoOf(field: Field, selected: Selected, page: Page, connection: Connection): Sql {
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT') throw new Error(`${field.name} has no fields`);
  const { backward, order } = connection.arguments;
  const cursors = () => sql`(${page.aggregate('array_agg', cursorOf(page.row, order))})`;
  const partOf = (name: string): Sql => {
    switch (name) {
      case 'hasNextPage':
        return backward ? page.hasLess() : page.hasMore();
      case 'hasPreviousPage':
        return backward ? page.hasMore() : page.hasLess();
      case 'startCursor':
        return sql`${cursors()}[1]`;
      case 'endCursor':
        return sql`${cursors()}[${page.count()}]`;
      default:
        return literal(type.name);
    }
  };
  return jsonObject(
    selected.selections(type.name).map(({ key, name }) => {
      if (fieldOf(type, name) === undefined) throw new GraphqlError('unknown field in pageInfo');
      return [key, partOf(name)];
    }),
  );
}
