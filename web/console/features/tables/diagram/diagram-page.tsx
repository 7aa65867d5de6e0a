/** The diagram of the schema: tables with their columns and keys, as a picture and as a list. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconArrowLeft, IconCopy, IconDownload, IconSitemap, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useId, useMemo, useState } from 'react';
import { bySchema } from '../../../api/system-schemas.ts';
import { ActionMenu } from '../../../components/action-menu.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import tabStyles from '../../../components/frame/tabs.module.css';
import { MissingNote } from '../../../components/missing-note.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { type DiagramTable, diagramQuery, type Relationship } from './api.ts';
import { Canvas } from './canvas.tsx';
import classes from './diagram.module.css';
import { download, exportColors } from './download.ts';
import { type Graph, graphOf, idOf, labelOf, selectedGraph } from './graph.ts';
import { mermaidText } from './mermaid.ts';
import { KeyPanel, TablePanel } from './panels.tsx';
import { arrangementOf, type PlacedEdge, type PlacedTable, placedEdges, placedTables } from './place.ts';
import { type DiagramSearch, maxDepth } from './search.ts';
import { svgText } from './svg.ts';
import { TableList } from './table-list.tsx';
import { detailOf, t } from './text.ts';
import { usePositions } from './use-arrangement.ts';

const route = getRouteApi('/app/tables/diagram');

type Go = (change: { readonly [Name in keyof DiagramSearch]: unknown }) => void;

export function DiagramPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(diagramQuery);
  const go: Go = useCallback(
    (change) => {
      void navigate({
        search: (previous) =>
          Object.fromEntries(
            Object.entries({ ...previous, ...change }).filter(
              ([, value]) => value !== undefined && value !== '',
            ),
          ) as DiagramSearch,
      });
    },
    [navigate],
  );
  return (
    <div className={classes.page}>
      {data === undefined ? (
        <>
          <Head />
          {error === null ? <SkeletonLines lines={12} /> : <ProblemBox error={error} />}
        </>
      ) : (
        <Diagram tables={data} search={search} go={go} />
      )}
    </div>
  );
}

function Head({ children }: { children?: React.ReactNode }) {
  return (
    <PageHead
      title={t('diagram.title')}
      back={
        <Link to="/tables" className={classes.back} aria-label={t('tables.back')}>
          <IconArrowLeft size={18} aria-hidden />
        </Link>
      }
    >
      {children}
    </PageHead>
  );
}

function Diagram({ tables, search, go }: { tables: readonly DiagramTable[]; search: DiagramSearch; go: Go }) {
  const { view: shownView, ...inDiagram } = search;
  const { schema, near, depth, columns, open, key } = inDiagram;
  const all = useMemo(() => graphOf(tables), [tables]);
  const graph = useMemo(
    () =>
      selectedGraph(all, {
        ...(schema === undefined ? {} : { schema }),
        ...(near === undefined ? {} : { near }),
        ...(depth === undefined ? {} : { depth }),
      }),
    [all, schema, near, depth],
  );
  const arrangement = useMemo(() => arrangementOf(graph, columns), [graph, columns]);
  const view = JSON.stringify(near === undefined ? { schema, columns } : { near, depth, columns });
  const { positions, error, isMoved, move, reset } = usePositions(view, arrangement);
  const placed = useMemo(
    () => (positions === undefined ? undefined : placedTables(graph, columns, positions)),
    [graph, columns, positions],
  );
  const edges = useMemo(() => (placed === undefined ? [] : placedEdges(graph, placed)), [graph, placed]);
  const openTable = useCallback(
    (id: string) => {
      const table = all.tables.find((each) => idOf(each) === id);
      if (table !== undefined) go({ open: labelOf(table), key: undefined });
    },
    [all, go],
  );
  const openKey = useCallback(
    ({ from, key: { name } }: Relationship) => go({ open: labelOf(from), key: name }),
    [go],
  );
  const openEdge = useCallback(({ relationship }: PlacedEdge) => openKey(relationship), [openKey]);
  const center = near === undefined ? undefined : graph.tables.find((table) => labelOf(table) === near);
  return (
    <>
      <Head>
        {isMoved && shownView === undefined ? (
          <Button size="compact-sm" variant="default" onClick={reset}>
            {t('diagram.reset')}
          </Button>
        ) : null}
        {placed === undefined || placed.length === 0 ? null : (
          <Export graph={graph} placed={placed} edges={edges} />
        )}
      </Head>
      <nav className={tabStyles.tabs} aria-label={t('diagram.views')}>
        {([undefined, 'list'] as const).map((each) => (
          <Link
            key={each ?? ''}
            to="/tables/diagram"
            search={each === undefined ? inDiagram : { ...inDiagram, view: each }}
            activeOptions={{ exact: true }}
            className={tabStyles.tab}
            aria-current={shownView === each ? 'page' : undefined}
          >
            {t(each === undefined ? 'diagram.view-diagram' : 'diagram.view-list')}
          </Link>
        ))}
      </nav>
      <Filters tables={tables} search={search} go={go} />
      {near !== undefined && center === undefined ? (
        <MissingNote
          title={t('diagram.missing', { name: near })}
          onBack={() => go({ near: undefined, depth: undefined })}
        />
      ) : null}
      {error === null ? null : <ProblemBox error={error} />}
      {graph.tables.length === 0 ? (
        <EmptyState
          icon={<IconSitemap size={22} stroke={1.75} />}
          title={t('diagram.none-title')}
          text={t('diagram.none-text')}
        />
      ) : shownView === 'list' ? (
        <TableList graph={graph} onOpenTable={openTable} onOpenKey={openKey} />
      ) : placed === undefined ? (
        <p className={classes.arranging} role="status">
          {error === null ? t('diagram.arranging', { count: graph.tables.length }) : null}
        </p>
      ) : (
        <Canvas
          key={view}
          tables={placed}
          edges={edges}
          center={center && idOf(center)}
          onMove={move}
          onOpenTable={openTable}
          onOpenKey={openEdge}
        />
      )}
      {open === undefined ? null : <Panel graph={all} open={open} name={key} go={go} />}
    </>
  );
}

/** Shows the open table or foreign key. */
function Panel({ graph, open, name, go }: { graph: Graph; open: string; name: string | undefined; go: Go }) {
  const close = (): void => go({ open: undefined, key: undefined });
  const table = graph.tables.find((each) => labelOf(each) === open);
  if (table === undefined) return null;
  if (name === undefined)
    return (
      <TablePanel
        table={table}
        graph={graph}
        onOpenKey={({ from, key }) => go({ open: labelOf(from), key: key.name })}
        onShowNear={() => go({ near: open, open: undefined, key: undefined })}
        onClose={close}
      />
    );
  const relationship = graph.relationships.find(({ from, key }) => from === table && key.name === name);
  return relationship === undefined ? null : (
    <KeyPanel key={name} relationship={relationship} onClose={close} />
  );
}

function Filters({ tables, search, go }: { tables: readonly DiagramTable[]; search: DiagramSearch; go: Go }) {
  const { schema = '', near, depth = 1, columns = '' } = search;
  const id = useId();
  const schemas = [...new Set(tables.map((table) => table.schema))].sort(bySchema);
  return (
    <div className={classes.filters}>
      {near === undefined ? (
        <NativeSelect
          size="xs"
          aria-label={t('diagram.schema')}
          value={schema}
          data={[
            { value: '', label: t('diagram.schema-own') },
            { value: '*', label: t('diagram.schema-all') },
            ...schemas.map((value) => ({ value, label: value })),
          ]}
          onChange={(event) => go({ schema: event.currentTarget.value })}
        />
      ) : null}
      <NearField
        key={near}
        id={id}
        near={near}
        names={tables.map(labelOf)}
        onChange={(next) => go({ near: next, depth: undefined })}
      />
      {near === undefined ? null : (
        <>
          <NativeSelect
            size="xs"
            aria-label={t('diagram.depth')}
            value={depth}
            data={Array.from({ length: maxDepth }, (_, index) => ({
              value: String(index + 1),
              label: t('diagram.depth-steps', { count: index + 1 }),
            }))}
            onChange={(event) => go({ depth: Number(event.currentTarget.value) })}
          />
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconX size={14} aria-hidden />}
            onClick={() => go({ near: undefined, depth: undefined })}
          >
            {t('diagram.near-all')}
          </Button>
        </>
      )}
      {search.view === 'list' ? null : (
        <NativeSelect
          size="xs"
          aria-label={t('diagram.columns')}
          value={columns}
          data={[
            { value: '', label: t('diagram.columns-all') },
            { value: 'keys', label: t('diagram.columns-keys') },
          ]}
          onChange={(event) => go({ columns: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

/** The field for the table whose neighborhood is shown. */
function NearField({
  id,
  near,
  names,
  onChange,
}: {
  id: string;
  near: string | undefined;
  names: readonly string[];
  onChange: (near: string) => void;
}) {
  const [text, setText] = useState(near ?? '');
  /** The name of the table that the text identifies. The schema `public` can be omitted. */
  const named = (value: string): string | undefined =>
    names.find((name) => name === value) ?? names.find((name) => name === `public.${value}`);
  return (
    <>
      <TextInput
        size="xs"
        className={classes.near}
        aria-label={t('diagram.near')}
        placeholder={t('diagram.near')}
        list={id}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          // A choice from the list changes the whole text.
          if (names.includes(value)) onChange(value);
        }}
        onKeyDown={(event) => {
          const name = event.key === 'Enter' ? named(text) : undefined;
          if (name !== undefined) onChange(name);
        }}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function Export({
  graph,
  placed,
  edges,
}: {
  graph: Graph;
  placed: readonly PlacedTable[];
  edges: readonly PlacedEdge[];
}) {
  const [copied, setCopied] = useState<boolean>();
  const saveSvg = (): void =>
    download(
      svgText({ tables: placed, edges, colors: exportColors(), detailOf }),
      'schema.svg',
      'image/svg+xml',
    );
  const copy = (): void => {
    navigator.clipboard.writeText(mermaidText(graph)).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <>
      <span role="status" className={classes.copied}>
        {copied === undefined ? '' : t(copied ? 'diagram.copied' : 'diagram.copy-failed')}
      </span>
      <ActionMenu
        label={t('diagram.export')}
        actions={[
          { label: t('diagram.export-svg'), icon: <IconDownload size={16} aria-hidden />, onChoose: saveSvg },
          {
            label: t('diagram.export-mermaid'),
            icon: <IconDownload size={16} aria-hidden />,
            onChoose: () => download(mermaidText(graph), 'schema.mmd', 'text/plain'),
          },
          { label: t('diagram.copy-mermaid'), icon: <IconCopy size={16} aria-hidden />, onChoose: copy },
        ]}
      />
    </>
  );
}
