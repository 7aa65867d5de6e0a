/** One table: toolbar, filters, grid, and the row that is open. Everything chosen here stands in the address. */
import { ActionIcon, Button } from '@mantine/core';
import {
  IconArrowLeft,
  IconFilter,
  IconPlus,
  IconRefresh,
  IconTableOff,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { relationQuery, rowsKey } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { Filter, Relation, RowKey, Sort } from '../../api/types.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { Tag } from '../../components/tag.tsx';
import { t } from '../../text.ts';
import { DeleteRows } from './delete-rows.tsx';
import { FailureBar } from './failure-bar.tsx';
import { FilterBar } from './filter-bar.tsx';
import { DataGrid } from './grid/data-grid.tsx';
import { RowPanel } from './row-panel.tsx';
import type { TableSearch } from './search.ts';
import classes from './table-page.module.css';
import { useEdits } from './use-edits.ts';
import { type Rows, useRows } from './use-rows.ts';

const route = getRouteApi('/app/tables/$schema/$table');
const none: readonly never[] = [];

export function TablePage() {
  const { schema, table } = route.useParams();
  const { data: relation, error } = useQuery(relationQuery({ schema, table }));
  return (
    <>
      <title>{t('app.title', { page: `${schema}.${table}` })}</title>
      {error === null ? null : (
        <div className={classes.problem}>
          <ProblemBox error={error} />
        </div>
      )}
      {relation === undefined ? (
        error === null ? (
          <SkeletonLines lines={10} />
        ) : null
      ) : (
        // Selection, undo and focus belong to one table.
        <OpenTable key={`${schema}.${table}`} relation={relation} />
      )}
    </>
  );
}

function OpenTable({ relation }: { relation: Relation }) {
  const { schema, name: table } = relation;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const hasKey = relation.columns.some((column) => column.primary_key);
  const isWritable = relation.kind === 'table' || relation.kind === 'partitioned table';
  const mayWrite = useMay('write');
  const canInsert = mayWrite && isWritable;
  const canWrite = canInsert && hasKey;

  const name = useMemo(() => ({ schema, table }), [schema, table]);
  const filters = search.filters ?? none;
  const sort = search.sort ?? none;
  const view = useMemo(() => ({ filters, sort }), [filters, sort]);
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  const rows = useRows(name, view, visible);
  const edits = useEdits(name, relation, rows.replace);
  const [selected, setSelected] = useState<ReadonlyMap<string, RowKey>>(new Map());
  const [isDeleting, setDeleting] = useState(false);
  const [showsFilters, setShowsFilters] = useState(filters.length > 0);

  const go = (change: Partial<Record<keyof TableSearch, unknown>>, replace = false): void => {
    void navigate({
      replace,
      search: (former) =>
        Object.fromEntries(
          Object.entries({ ...former, ...change }).filter(([, value]) => value !== undefined),
        ) as TableSearch,
    });
  };
  const onVisible = useCallback((first: number, last: number) => setVisible({ first, last }), []);

  function toggleSort(column: string): void {
    const former = sort.find((each) => each.column === column);
    const next: readonly Sort[] =
      former === undefined
        ? [{ column, ascending: true }]
        : former.ascending
          ? [{ column, ascending: false }]
          : [];
    setSelected(new Map());
    go({ sort: next.length === 0 ? undefined : next });
  }

  function setFilters(next: readonly Filter[]): void {
    setSelected(new Map());
    go({ filters: next.length === 0 ? undefined : next });
  }

  const closePanel = (): void => go({ row: undefined, column: undefined, insert: undefined });
  const afterChange = (): void => {
    rows.refresh();
    void queryClient.invalidateQueries({ queryKey: ['row', schema, table] });
  };

  return (
    <>
      <header className={classes.head}>
        <Link to="/tables" className={classes.back} aria-label={t('tables.back')}>
          <IconArrowLeft size={18} aria-hidden />
        </Link>
        <h1 className={classes.title}>
          <span className={classes.schema}>{schema}.</span>
          {table}
        </h1>
        <span className={classes.tags}>
          {relation.kind === 'table' ? null : <Tag>{relation.kind}</Tag>}
          {isWritable ? <PolicyTag relation={relation} /> : null}
          {isWritable && !hasKey ? (
            <Tag tone="warning" title={t('tables.no-key-why')}>
              {t('tables.no-key')}
            </Tag>
          ) : null}
        </span>
        <div className={classes.tools}>
          {selected.size > 0 ? (
            <Button
              size="compact-sm"
              color="red"
              variant="light"
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => setDeleting(true)}
            >
              {t('tables.delete-selected', { count: selected.size })}
            </Button>
          ) : null}
          <Button
            size="compact-sm"
            variant={filters.length > 0 ? 'light' : 'default'}
            leftSection={<IconFilter size={15} aria-hidden />}
            aria-expanded={showsFilters}
            onClick={() => setShowsFilters(!showsFilters)}
          >
            {filters.length > 0 ? t('filter.active', { count: filters.length }) : t('filter.open')}
          </Button>
          {canInsert ? (
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => go({ insert: true })}
            >
              {t('tables.insert')}
            </Button>
          ) : null}
          <ActionIcon
            variant="default"
            aria-label={t('tables.refresh')}
            title={t('tables.refresh')}
            onClick={afterChange}
          >
            <IconRefresh size={16} aria-hidden />
          </ActionIcon>
        </div>
      </header>
      {showsFilters ? <FilterBar relation={relation} filters={filters} onChange={setFilters} /> : null}
      <FailureBar edits={edits} onRetry={afterChange} />
      <Body
        rows={rows}
        hasFilters={filters.length > 0}
        canInsert={canInsert}
        onInsert={() => go({ insert: true })}
        onClear={() => setFilters([])}
      >
        <DataGrid
          relation={relation}
          rows={rows}
          sort={sort}
          edits={edits}
          canWrite={canWrite}
          selected={selected}
          onSelect={setSelected}
          onSort={toggleSort}
          onOpen={(row, column) => go({ row, column })}
          onVisible={onVisible}
          onDelete={() => setDeleting(true)}
        />
      </Body>
      <Foot rows={rows} selected={selected.size} undoable={edits.undoable} onUndo={() => void edits.undo()} />
      {search.insert === true && canInsert ? (
        <RowPanel relation={relation} canWrite onClose={closePanel} onDone={afterChange} />
      ) : search.row === undefined ? null : (
        <RowPanel
          relation={relation}
          rowKey={search.row}
          {...(search.column === undefined ? {} : { column: search.column })}
          canWrite={canWrite}
          onClose={closePanel}
          onDone={() => {
            void queryClient.invalidateQueries({ queryKey: rowsKey(name) });
          }}
        />
      )}
      {isDeleting ? (
        <DeleteRows
          name={name}
          keys={[...selected.values()]}
          onClose={() => setDeleting(false)}
          onDone={() => {
            setSelected(new Map());
            setDeleting(false);
            afterChange();
          }}
        />
      ) : null}
    </>
  );
}

function PolicyTag({ relation: { rls, policies } }: { relation: Relation }) {
  if (!rls)
    return (
      <Tag tone="warning" title={t('tables.no-rls')}>
        {t('tables.rls-off')}
      </Tag>
    );
  return (
    <Tag tone={policies === 0 ? 'info' : 'success'} title={t('tables.rls-on')}>
      {t('tables.policies', { count: policies })}
    </Tag>
  );
}

function Body({
  rows,
  hasFilters,
  canInsert,
  onInsert,
  onClear,
  children,
}: {
  rows: Rows;
  hasFilters: boolean;
  canInsert: boolean;
  onInsert: () => void;
  onClear: () => void;
  children: ReactNode;
}) {
  if (rows.error !== null && rows.total.rows === 0)
    return (
      <div className={classes.problem}>
        <ProblemBox error={rows.error} title={t('tables.rows-failed')} />
      </div>
    );
  if (rows.isFirstLoad) return <SkeletonLines lines={12} />;
  if (rows.total.rows > 0) return children;
  return (
    <div className={classes.none}>
      <EmptyState
        icon={<IconTableOff size={22} stroke={1.75} />}
        title={t(hasFilters ? 'rows.no-match-title' : 'rows.none-title')}
        text={t(hasFilters ? 'rows.no-match-text' : 'rows.none-text')}
      >
        {hasFilters ? (
          <Button variant="default" size="sm" onClick={onClear}>
            {t('filter.clear')}
          </Button>
        ) : canInsert ? (
          <Button size="sm" onClick={onInsert}>
            {t('tables.insert')}
          </Button>
        ) : null}
      </EmptyState>
    </div>
  );
}

function Foot({
  rows,
  selected,
  undoable,
  onUndo,
}: {
  rows: Rows;
  selected: number;
  undoable: string | undefined;
  onUndo: () => void;
}) {
  const { total } = rows;
  return (
    <footer className={classes.foot}>
      <span role="status">
        {rows.isFirstLoad ? '' : t(total.exact ? 'rows.exact' : 'rows.about', { count: total.rows })}
        {selected > 0 ? ` · ${t('rows.selected', { count: selected })}` : ''}
      </span>
      {total.exact || rows.isFirstLoad ? null : (
        <button type="button" className={classes.footButton} disabled={rows.isCounting} onClick={rows.count}>
          {t(rows.isCounting ? 'rows.counting' : 'rows.count')}
        </button>
      )}
      {rows.countError === null ? null : <span role="alert">{t('rows.count-failed')}</span>}
      <span className={classes.footEnd} role="status">
        {undoable === undefined ? '' : t('rows.saved', { column: undoable })}
      </span>
      {undoable === undefined ? null : (
        <button type="button" className={classes.footButton} onClick={onUndo}>
          {t('rows.undo')}
        </button>
      )}
    </footer>
  );
}
