/**
 * Shown if a persona can't see any rows. The text distinguishes an empty table from a table whose rows are hidden by
 * policies.
 */
import { Button } from '@mantine/core';
import { IconEyeOff, IconTableOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RowView, rowsQuery } from '../../../api/queries.ts';
import type { Relation } from '../../../api/types.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { usePersonaName } from '../../../components/persona/persona-name.ts';
import { gridRows } from '../cells.ts';
import { t } from '../rows-text.ts';
import classes from './table-page.module.css';

export default function HiddenRows({
  relation,
  view,
  onClear,
}: {
  relation: Relation;
  view: RowView & { readonly as: string };
  onClear: () => void;
}) {
  const { schema, name: table } = relation;
  const { filters, as } = view;
  const name = usePersonaName(as);
  const hasFilters = filters.length > 0;
  const { data, isPending } = useQuery(rowsQuery({ schema, table }, { filters, sort: [] }, 0));
  if (isPending) return <SkeletonLines lines={4} />;
  const [first] = data === undefined ? [] : gridRows(relation, data);
  const clear = hasFilters ? (
    <Button variant="default" size="sm" onClick={onClear}>
      {t('filter.clear')}
    </Button>
  ) : null;
  if (first === undefined)
    return (
      <EmptyState
        icon={<IconTableOff size={22} stroke={1.75} />}
        title={t(hasFilters ? 'rows.no-match-title' : 'rows.none-title')}
        text={t(hasFilters ? 'rows.no-match-text' : 'hidden.empty')}
      >
        {clear}
      </EmptyState>
    );
  const count = data?.estimate ?? relation.estimated_rows ?? 1;
  const text =
    `hidden.${hasFilters ? 'match' : 'all'}-${data?.isExact === true ? 'exact' : 'about'}` as const;
  return (
    <EmptyState
      icon={<IconEyeOff size={22} stroke={1.75} />}
      title={t(hasFilters ? 'hidden.match-title' : 'hidden.title', { name })}
      text={`${t(text, { count })} ${t(reasonOf(relation))}`}
    >
      <span className={classes.links}>
        <Link to="/policies" search={{ filter: `${schema}.${table}`, as }}>
          {t('hidden.policies')}
        </Link>
        {relation.key.kind === 'columns' && first.key !== undefined ? (
          <Link to="/why" search={{ schema, table, op: 'select', key: first.key, as }}>
            {t('hidden.why')}
          </Link>
        ) : null}
      </span>
      {clear}
    </EmptyState>
  );
}

const reasonOf = ({ rls, policies }: Relation) =>
  rls && policies === 0 ? 'hidden.no-policy' : 'hidden.policy';
