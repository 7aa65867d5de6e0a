import { Link } from '@tanstack/react-router';
import parts from '../parts.module.css';
import { t } from './text.ts';

/** Lists the columns that have a type. */
export function UsedBy({
  columns,
}: {
  columns: readonly { readonly schema: string; readonly table: string; readonly column: string }[];
}) {
  return (
    <section className={parts.section} aria-label={t('types.used-by')}>
      <h3 className={parts.title}>{t('types.used-by')}</h3>
      {columns.length === 0 ? (
        <p className={parts.dim}>{t('types.unused')}</p>
      ) : (
        <ul className={parts.items}>
          {columns.map(({ schema, table, column }) => (
            <li key={`${schema}.${table}.${column}`} className={parts.item}>
              <Link to="/tables/$schema/$table/structure" params={{ schema, table }} className={parts.name}>
                {schema}.{table}
              </Link>
              <span className={parts.name}>{column}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
