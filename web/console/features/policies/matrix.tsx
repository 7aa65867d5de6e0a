/**
 * A matrix of tables, views, roles and operations. A cell shows whether the role can access all rows, some rows or no
 * rows, or lacks the grant. Access to all rows is highlighted only for roles to which policies apply.
 */
import { useId } from 'react';
import { Tag } from '../../components/tag.tsx';
import type { SecuredTable } from './api.ts';
import classes from './matrix.module.css';
import { t } from './text.ts';

const operations = ['select', 'insert', 'update', 'delete'] as const;
type Operation = (typeof operations)[number];
type Grant = SecuredTable['grants'][number];

/** Counts the permissive policies that apply to a role, including policies `to public`, which apply to every role. */
function policiesFor(table: SecuredTable, role: string, operation: Operation): number {
  return table.policies.filter(
    ({ command, permissive, roles }) =>
      permissive &&
      (command === 'all' || command === operation) &&
      (roles.includes('public') || roles.includes(role)),
  ).length;
}

function cellOf(table: SecuredTable, grant: Grant, operation: Operation) {
  if (!grant[operation])
    return { kind: table.kind === 'table' ? 'no-grant' : 'unsupported', count: 0 } as const;
  if (operation !== 'select' && table.triggers.includes(operation))
    return { kind: 'trigger', count: 0 } as const;
  if (grant.bypasses) return { kind: 'bypass', count: 0 } as const;
  if (table.kind === 'view') return { kind: table.invoker ? 'tables' : 'definer', count: 0 } as const;
  if (table.kind !== 'table') return { kind: 'unprotected', count: 0 } as const;
  if (!table.rls) return { kind: 'all', count: 0 } as const;
  const count = policiesFor(table, grant.role, operation);
  return count === 0 ? ({ kind: 'none', count } as const) : ({ kind: 'some', count } as const);
}

/** Returns the kind of a relation that isn't a table. */
function markOf({ kind, invoker }: SecuredTable) {
  if (kind === 'table') return undefined;
  return kind === 'view' ? (invoker ? 'invoker' : 'definer') : kind;
}

function Name({ table }: { table: SecuredTable }) {
  const mark = markOf(table);
  return (
    <th scope="row">
      {table.schema === 'public' ? table.name : `${table.schema}.${table.name}`}
      {mark === undefined ? null : (
        <span className={classes.mark}>
          {' '}
          <Tag>{t(`matrix.mark.${mark}`)}</Tag>
        </span>
      )}
    </th>
  );
}

export function Matrix({ tables }: { tables: readonly SecuredTable[] }) {
  const id = useId();
  const roles = tables[0]?.grants.map(({ role }) => role) ?? [];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.scroll} aria-labelledby={id} tabIndex={0}>
      <table className={classes.table}>
        <caption id={id} className="visually-hidden">
          {t('matrix.caption')}
        </caption>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              {t('matrix.table')}
            </th>
            {roles.map((role) => (
              <th key={role} scope="colgroup" colSpan={operations.length}>
                {role}
              </th>
            ))}
          </tr>
          <tr>
            {roles.flatMap((role) =>
              operations.map((operation) => (
                <th key={`${role}${operation}`} scope="col">
                  {operation}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {tables.map((table) => (
            <tr key={`${table.schema}.${table.name}`}>
              <Name table={table} />
              {table.grants.flatMap((grant) =>
                operations.map((operation) => {
                  const { kind, count } = cellOf(table, grant, operation);
                  const facts = {
                    role: grant.role,
                    command: operation,
                    table: table.name,
                    owner: table.owner,
                    count,
                  };
                  return (
                    <td
                      key={`${grant.role}${operation}`}
                      data-kind={kind}
                      title={t(`matrix.${kind}-why`, facts)}
                    >
                      {t(`matrix.${kind}`)}
                    </td>
                  );
                }),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
