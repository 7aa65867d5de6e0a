/**
 * The page of a table, with the toolbar, the filters, the grid and the open row. The URL contains all of the operator's
 * choices.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { pageSize, relationQuery } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import type { Relation } from '../../../api/types.ts';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { lazyPart } from '../../../components/lazy-part.ts';
import { messageOf } from '../../../components/problem-box.tsx';
import { BulkChange, type BulkKind } from '../edits/bulk-change.tsx';
import { FailureBar } from '../edits/failure-bar.tsx';
import { type Edits, useEdits } from '../edits/use-edits.ts';
import { useStagedEdits } from '../edits/use-staged-edits.ts';
import { DataGrid } from '../grid/data-grid.tsx';
import { IgnoreKeys } from '../import/ignore-keys.tsx';
import { t } from '../text.ts';
import { FilterBar } from './filter-bar.tsx';
import { TableProblem } from './missing-table.tsx';
import { focusListEntry, focusRowsOf } from './rows-focus.ts';
import { TableBody } from './table-body.tsx';
import { TableFoot } from './table-foot.tsx';
import { TableHead } from './table-head.tsx';
import { type Peek, TablePanels } from './table-panels.tsx';
import { ColumnTools, TablePersona, TransferTools } from './table-tools.tsx';
import { useColumnLayout } from './use-column-layout.ts';
import { useLive } from './use-live.ts';
import { useRowSelection } from './use-row-selection.ts';
import { useRows } from './use-rows.ts';
import { useTableUrl } from './use-table-url.ts';

const StagedGuard = lazyPart(() => import('../edits/staged-guard.tsx'));
const route = getRouteApi('/app/tables/$schema/$table');

export function TablePage() {
  const { schema, table } = route.useParams();
  const { as } = route.useSearch();
  const { data: relation, error } = useQuery(relationQuery({ schema, table }));
  return (
    <>
      <title>{t('app.title', { page: `${schema}.${table}` })}</title>
      {error === null ? null : <TableProblem error={error} />}
      {relation === undefined ? (
        error === null ? (
          <SkeletonLines lines={10} />
        ) : null
      ) : (
        // The component's key resets the selection, the undo steps and the focus when the operator opens a different
        // table or selects a different persona.
        <OpenTable key={`${schema}.${table} ${as ?? ''}`} relation={relation} />
      )}
    </>
  );
}

function OpenTable({ relation }: { relation: Relation }) {
  const { schema, name: table } = relation;
  const { search, view, go, toggleSort, setFilters, closePanel } = useTableUrl();
  const { filters, as } = view;
  const queryClient = useQueryClient();
  const isWritable = relation.kind === 'table' || relation.kind === 'partitioned table';
  const canInsert = useMay('write') && isWritable;
  const canWrite = canInsert && relation.key.kind !== 'none';

  const name = useMemo(() => ({ schema, table }), [schema, table]);
  const { visible, onVisible } = useVisiblePages();
  const rows = useRows(name, relation, view, visible);
  const live = useLive(name, view, relation.kind);
  const edits = useStagedEdits(useEdits(name, as, rows.replace));
  const columns = useColumnLayout(relation);
  const selection = useRowSelection(view);
  const { selected, isAll } = selection;
  const [bulkChange, setBulkChange] = useState<BulkKind>();
  const [showsFilters, setShowsFilters] = useState(filters.length > 0);
  const { setNote, setJournaled, ...notes } = useFootNotes();
  const [peek, setPeek] = useState<Peek>();
  const activeColumn = useRef<string>(undefined);
  const insert = (): void => go({ insert: true });
  const importFile = (): void => go({ import: true });
  const refresh = (): void => {
    rows.refresh();
    void queryClient.invalidateQueries({ queryKey: ['row', schema, table] });
  };

  const undo = (): void => undoLast(edits, refresh, setNote);

  return (
    <>
      <TableHead
        relation={relation}
        hasRows={rows.total.rows > 0}
        isWritable={isWritable}
        canInsert={canInsert}
        filters={filters.length}
        showsFilters={showsFilters}
        onFilters={() => setShowsFilters(!showsFilters)}
        onInsert={insert}
        onImport={importFile}
        onRefresh={refresh}
      >
        <TablePersona as={as} onChange={(next) => go({ as: next })} />
        <ColumnTools relation={relation} columns={columns} staging={canWrite ? edits.staging : undefined} />
        <TransferTools name={name} view={view} canImport={canInsert} onImport={importFile} />
      </TableHead>
      {showsFilters ? <FilterBar relation={relation} filters={filters} onChange={setFilters} /> : null}
      <FailureBar edits={edits} onRetry={refresh} />
      <TableBody
        rows={rows}
        relation={relation}
        view={view}
        canInsert={canInsert}
        onInsert={insert}
        onImport={importFile}
        onClear={() => setFilters([])}
      >
        <DataGrid
          relation={relation}
          columns={columns.shown}
          layout={columns.layout}
          onLayout={columns.change}
          view={view}
          rows={rows}
          edits={edits}
          canWrite={canWrite}
          selected={selected}
          onSelect={selection.select}
          onSort={toggleSort}
          onOpen={(row, column) => go({ row, column })}
          onPeek={(index, column) => setPeek({ index, column })}
          onVisible={onVisible}
          onActive={(column) => {
            activeColumn.current = column;
          }}
          onBulkChange={setBulkChange}
          onDuplicate={(row) => go({ insert: true, row, column: undefined })}
          onFilters={(next) => {
            setFilters(next);
            setShowsFilters(true);
          }}
          onSortBy={(sort) => go({ sort: sort.length === 0 ? undefined : sort })}
          onUndo={undo}
          onLeave={focusListEntry}
          onNote={setNote}
        />
      </TableBody>
      <TableFoot
        rows={rows}
        selected={selected.size}
        isAll={isAll}
        canWrite={canWrite}
        undoable={edits.undoable}
        undone={edits.undone}
        staging={edits.staging}
        notes={notes}
        live={live}
        onTakeAll={selection.selectAll}
        onEdit={() => setBulkChange({ kind: 'edit' })}
        onDelete={() => setBulkChange({ kind: 'delete' })}
        onUndo={undo}
      />
      {edits.staging.isOn ? (
        <Suspense fallback={null}>
          <StagedGuard isDirty={edits.staging.cells > 0} />
        </Suspense>
      ) : null}
      <Suspense fallback={<IgnoreKeys />}>
        <TablePanels
          relation={relation}
          search={search}
          rows={rows}
          peek={peek}
          canInsert={canInsert}
          canWrite={canWrite}
          onClose={closePanel}
          onClosePeek={() => setPeek(undefined)}
          onImported={(sort) => {
            go({ import: undefined, filters: undefined, sort: [sort] });
            focusRowsOf(name);
          }}
          onChanged={refresh}
        />
        {bulkChange === undefined ? null : (
          <BulkChange
            change={bulkChange}
            relation={relation}
            as={as}
            rows={rows}
            edits={edits}
            selection={selection}
            activeColumn={activeColumn.current}
            onClose={() => setBulkChange(undefined)}
            onSave={() => setNote('')}
            onChanged={refresh}
            onJournaled={setJournaled}
          />
        )}
      </Suspense>
    </>
  );
}

/** What the footer shows about the last action: a message, and the undo journal's entry of a bulk change. */
function useFootNotes() {
  const [note, setNote] = useState('');
  const [journaled, setJournaled] = useState<number>();
  return { note, setNote, journaled, setJournaled };
}

/** Undoes the last step. The footer then shows what was undone, or why the step couldn't be undone. */
function undoLast(edits: Edits, onRestored: () => void, onNote: (note: string) => void): void {
  onNote('');
  void edits.undo().then(
    (restored) => {
      if (restored > 0) onRestored();
    },
    (failure: unknown) => onNote(t('rows.restore-failed', { reason: messageOf(failure) })),
  );
}

const pageStart = (row: number): number => Math.floor(row / pageSize) * pageSize;

/** The component is rendered again only if different pages are needed. The grid itself tracks individual rows. */
function useVisiblePages() {
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  const onVisible = useCallback((firstRow: number, lastRow: number) => {
    const [first, last] = [pageStart(firstRow), pageStart(lastRow)];
    setVisible((previous) =>
      previous.first === first && previous.last === last ? previous : { first, last },
    );
  }, []);
  return { visible, onVisible };
}
