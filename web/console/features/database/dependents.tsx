/** Lists the objects that use an object, with links to them. */
import { Link } from '@tanstack/react-router';
import type { Dependent } from '../../../../src/pages/console/routines/contract.ts';
import classes from './parts.module.css';
import { t } from './text.ts';

export function Dependents({ items, label }: { items: readonly Dependent[]; label: string }) {
  return (
    <ul className={classes.items} aria-label={label}>
      {items.map((item) => (
        <li key={JSON.stringify(item)} className={classes.item}>
          <span className={classes.kind}>{t(`dependent.${item.kind}`)}</span>
          <DependentName item={item} />
        </li>
      ))}
    </ul>
  );
}

function DependentName({ item: { kind, name, table, signature } }: { item: Dependent }) {
  if (signature !== null)
    return (
      <Link to="/database/functions" search={{ open: signature }} className={classes.name}>
        {signature}
      </Link>
    );
  if (table === null) return <span className={classes.name}>{name}</span>;
  const at = `${table.schema}.${table.name}`;
  if (kind === 'policy')
    return (
      <Link to="/policies" search={{ table: at, policy: name }} className={classes.name}>
        {t('dependent.on', { name, table: at })}
      </Link>
    );
  const isTable = ['table', 'view', 'materialized view'].includes(kind);
  return (
    <Link
      to="/tables/$schema/$table/structure"
      params={{ schema: table.schema, table: table.name }}
      className={classes.name}
    >
      {isTable ? at : t('dependent.on', { name, table: at })}
    </Link>
  );
}
