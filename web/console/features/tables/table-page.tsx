/** A table's page: toolbar, filters, grid, and the open row. All choices are stored in the URL. */
import { hashKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { pageSize, relationQuery, rowsKey } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { Filter, Relation, RowKey, Sort } from '../../api/types.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { FailureBar } from './failure-bar.tsx';
import { FilterBar } from './filter-bar.tsx';
import { DataGrid } from './grid/data-grid.tsx';
import type { RowScope } from './scope.ts';
import type { TableSearch } from './search.ts';
import { TableBody } from './table-body.tsx';
import { TableFoot } from './table-foot.tsx';
import { TableHead } from './table-head.tsx';
import classes from './table-page.module.css';
import { TablePersona, TransferTools } from './table-tools.tsx';
import { t } from './text.ts';
import { useEdits } from './use-edits.ts';
import { useRows } from './use-rows.ts';

const RowPanel = lazy(() => import('./row-panel.tsx'));
const PeekPanel = lazy(() => import('./peek-panel.tsx'));
const ImportPanel = lazy(() => import('./import-panel.tsx'));
const DeleteRows = lazy(() => import('./delete-rows.tsx'));
const EditRows = lazy(() => import('./edit-rows.tsx'));

const route = getRouteApi('/app/tables/$schema/$table');
const none: readonly never[] = [];

export function TablePage() {
  const { schema, table } = route.useParams();
  const { as } = route.useSearch();
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
        // Selection, undo and focus belong to one table as seen by one persona.
        <OpenTable key={`${schema}.${table} ${as ?? ''}`} relation={relation} />
      )}
    </>
  );
}

function OpenTable({ relation }: { relation: Relation }) {
  const { schema, name: table } = relation;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const isWritable = relation.kind === 'table' || relation.kind === 'partitioned table';
  const mayWrite = useMay('write');
  const canInsert = mayWrite && isWritable;
  const canWrite = canInsert && relation.key.kind !== 'none';

  const name = useMemo(() => ({ schema, table }), [schema, table]);
  const filters = search.filters ?? none;
  const sort = search.sort ?? none;
  const { as } = search;
  const view = useMemo(() => ({ filters, sort, as }), [filters, sort, as]);
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  const rows = useRows(name, relation, view, visible);
  const edits = useEdits(name, as, rows.replace);
  const [selected, setSelected] = useState<ReadonlyMap<string, RowKey>>(new Map());
  const [isAll, setAll] = useState(false);
  const [asking, setAsking] = useState<'delete' | 'edit'>();
  const [showsFilters, setShowsFilters] = useState(filters.length > 0);
  const [note, setNote] = useState('');
  const [peek, setPeek] = useState<{ index: number; column: string }>();

  // Any change of the view, including the browser's Back, clears the selection of the previous view.
  const viewText = hashKey([view]);
  const [chosenIn, setChosenIn] = useState(viewText);
  if (chosenIn !== viewText) {
    setChosenIn(viewText);
    setAll(false);
    setSelected(new Map());
  }
  const select = useCallback((next: ReadonlyMap<string, RowKey>) => {
    setAll(false);
    setSelected(next);
  }, []);
  const go = (change: Partial<Record<keyof TableSearch, unknown>>): void => {
    void navigate({
      search: (former) =>
        Object.fromEntries(
          Object.entries({ ...former, ...change }).filter(([, value]) => value !== undefined),
        ) as TableSearch,
    });
  };
  // The page is rendered again only if other pages of rows are needed. The grid itself follows every row.
  const onVisible = useCallback((firstRow: number, lastRow: number) => {
    const [first, last] = [firstRow, lastRow].map((row) => Math.floor(row / pageSize) * pageSize) as [
      number,
      number,
    ];
    setVisible((former) => (former.first === first && former.last === last ? former : { first, last }));
  }, []);

  function toggleSort(column: string): void {
    const former = sort.find((each) => each.column === column);
    const next: readonly Sort[] =
      former === undefined
        ? [{ column, ascending: true }]
        : former.ascending
          ? [{ column, ascending: false }]
          : [];
    go({ sort: next.length === 0 ? undefined : next });
  }

  function setFilters(next: readonly Filter[]): void {
    go({ filters: next.length === 0 ? undefined : next });
  }

  const closePanel = (): void =>
    go({ row: undefined, column: undefined, insert: undefined, import: undefined });
  const afterChange = (): void => {
    rows.refresh();
    void queryClient.invalidateQueries({ queryKey: ['row', schema, table] });
  };
  const scope: RowScope = isAll ? { filters } : { keys: [...selected.values()] };
  const peekRow = peek && rows.row(peek.index);
  const foreignKey = peek && relation.foreign_keys.find(({ columns }) => columns.includes(peek.column));

  return (
    <>
      <TableHead
        relation={relation}
        isWritable={isWritable}
        canInsert={canInsert}
        filters={filters.length}
        showsFilters={showsFilters}
        selected={isAll ? 'all' : selected.size}
        onFilters={() => setShowsFilters(!showsFilters)}
        onInsert={() => go({ insert: true })}
        onRefresh={afterChange}
        onDelete={() => setAsking('delete')}
        onEdit={() => setAsking('edit')}
      >
        <TablePersona as={as} onChange={(next) => go({ as: next })} />
        <TransferTools name={name} view={view} canImport={canInsert} onImport={() => go({ import: true })} />
      </TableHead>
      {showsFilters ? <FilterBar relation={relation} filters={filters} onChange={setFilters} /> : null}
      <FailureBar edits={edits} onRetry={afterChange} />
      <TableBody
        rows={rows}
        hasFilters={filters.length > 0}
        canInsert={canInsert}
        onInsert={() => go({ insert: true })}
        onClear={() => setFilters([])}
      >
        <DataGrid
          relation={relation}
          view={view}
          rows={rows}
          edits={edits}
          canWrite={canWrite}
          selected={selected}
          onSelect={select}
          onSort={toggleSort}
          onOpen={(row, column) => go({ row, column })}
          onPeek={(index, column) => setPeek({ index, column })}
          onVisible={onVisible}
          onDelete={() => setAsking('delete')}
          onNote={setNote}
        />
      </TableBody>
      <TableFoot
        rows={rows}
        selected={selected.size}
        isAll={isAll}
        mayTakeAll={canWrite}
        undoable={edits.undoable}
        note={note}
        onTakeAll={() => setAll(true)}
        onUndo={() => {
          setNote('');
          void edits.undo();
        }}
      />
      <Suspense fallback={null}>
        {search.insert === true && canInsert ? (
          <RowPanel relation={relation} as={as} canWrite onClose={closePanel} onDone={afterChange} />
        ) : search.row === undefined ? null : (
          <RowPanel
            relation={relation}
            as={as}
            rowKey={search.row}
            {...(search.column === undefined ? {} : { column: search.column })}
            canWrite={canWrite}
            onClose={closePanel}
            onDone={() => void queryClient.invalidateQueries({ queryKey: rowsKey(name) })}
          />
        )}
        {search.import === true && canInsert ? (
          <ImportPanel relation={relation} as={as} onClose={closePanel} onDone={afterChange} />
        ) : null}
        {peekRow === undefined || foreignKey === undefined ? null : (
          <PeekPanel
            relation={relation}
            foreignKey={foreignKey}
            cells={peekRow.cells}
            as={as}
            onClose={() => setPeek(undefined)}
          />
        )}
        {asking === 'delete' ? (
          <DeleteRows
            name={name}
            as={as}
            scope={scope}
            count={rows.count}
            onClose={() => setAsking(undefined)}
            onDone={() => {
              select(new Map());
              setAsking(undefined);
              afterChange();
            }}
          />
        ) : null}
        {asking === 'edit' ? (
          <EditRows
            relation={relation}
            as={as}
            scope={scope}
            count={rows.count}
            onClose={() => setAsking(undefined)}
            onEdits={(column, change) => {
              setAsking(undefined);
              setNote('');
              void edits
                .save(
                  [...selected.values()].map((key) => ({ key, column, index: -1, change, seen: undefined })),
                )
                .then(afterChange);
            }}
            onDone={() => {
              setAsking(undefined);
              afterChange();
            }}
          />
        ) : null}
      </Suspense>
    </>
  );
}
