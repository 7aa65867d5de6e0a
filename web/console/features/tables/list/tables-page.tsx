import { Button } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronRight,
  IconDatabase,
  IconEye,
  IconFilter,
  IconPlus,
  IconTable,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatches, useParams } from '@tanstack/react-router';
import { type MouseEvent, useId, useState } from 'react';
import { tablesQuery } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import { bySchema, isSystemSchema } from '../../../api/system-schemas.ts';
import type { RelationSummary } from '../../../api/types.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { SplitView } from '../../../components/frame/split-view.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { t } from '../../../text.ts';
import { focusRowsOf, focusShownRows } from '../rows/rows-focus.ts';
import { useListVisibility } from './list-visibility.ts';
import classes from './tables-page.module.css';

export function TablesPage() {
  // On a narrow screen, the open page is shown in place of the list.
  const isOpen = useMatches({ select: (matches) => matches.at(-1)?.routeId !== '/app/tables/' });
  const [showsList] = useListVisibility();
  const isDiagram = useMatches({ select: (matches) => matches.at(-1)?.routeId === '/app/tables/diagram' });
  const isWide = isOpen && (!showsList || isDiagram);
  return (
    <SplitView
      className={`${classes.split} ${isWide ? classes.wide : ''}`}
      isOpen={isOpen}
      list={<TableList />}
    >
      <Outlet />
    </SplitView>
  );
}

export function NoTable() {
  const { data } = useQuery(tablesQuery);
  const mayWrite = useMay('write');
  const isEmpty = data?.every(({ schema }) => isSystemSchema(schema)) === true;
  return (
    <div className={classes.none}>
      <EmptyState
        icon={<IconTable size={22} stroke={1.75} />}
        title={t(isEmpty ? 'tables.none-title' : 'tables.pick-title')}
        text={t(isEmpty ? 'tables.none-text' : 'tables.pick-text')}
      >
        {isEmpty && mayWrite ? (
          <Button size="sm" renderRoot={(props) => <Link to="/tables/new" {...props} />}>
            {t('tables.new')}
          </Button>
        ) : null}
      </EmptyState>
    </div>
  );
}

function TableList() {
  const { data, error } = useQuery(tablesQuery);
  const mayWrite = useMay('write');
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = (data ?? []).filter(({ schema, name }) => `${schema}.${name}`.toLowerCase().includes(wanted));
  const own = found.filter(({ schema }) => !isSystemSchema(schema));
  const system = found.filter(({ schema }) => isSystemSchema(schema));
  return (
    <>
      <PageHead title={t('nav.tables')}>
        <Link to="/tables/diagram" search={{}} className={classes.headLink}>
          {t('tables.diagram')}
        </Link>
        <Link to="/database/types" className={classes.headLink}>
          {t('tables.types')}
        </Link>
        {mayWrite ? (
          <Link
            to="/tables/new"
            className={classes.headLink}
            aria-label={t('tables.new')}
            title={t('tables.new')}
          >
            <IconPlus size={16} aria-hidden />
          </Link>
        ) : null}
      </PageHead>
      <div className={classes.filter}>
        <SearchInput label={t('tables.filter')} value={text} Icon={IconFilter} onChange={setText} />
      </div>
      <nav className={classes.names} aria-label={t('nav.tables')}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined && error === null ? <SkeletonLines lines={8} /> : null}
        {data !== undefined && found.length === 0 ? (
          <p className={classes.nothing} role="status">
            {t('tables.no-match')}
          </p>
        ) : null}
        {data !== undefined && own.length === 0 && wanted === '' ? (
          // On a narrow screen, the pane beside the list isn't visible.
          <div className={classes.narrow}>
            <NoTable />
          </div>
        ) : null}
        <Schemas relations={own} />
        {system.length === 0 ? null : <SystemSchemas relations={system} isSearched={wanted !== ''} />}
      </nav>
    </>
  );
}

function Schemas({ relations }: { relations: readonly RelationSummary[] }) {
  return [...new Set(relations.map(({ schema }) => schema))].sort(bySchema).map((schema) => (
    <section key={schema}>
      <h2 className={classes.schema}>
        <IconDatabase size={13} aria-hidden />
        <span title={schema}>{schema}</span>
      </h2>
      <ul className={classes.items}>
        {relations
          .filter((each) => each.schema === schema)
          .map((each) => (
            <li key={each.name}>
              <TableLink relation={each} />
            </li>
          ))}
      </ul>
    </section>
  ));
}

const systemKey = 'plinth-system-schemas';

/**
 * Lists the services' tables. The services' tables are collapsed, because they usually outnumber the project's tables.
 */
function SystemSchemas({
  relations,
  isSearched,
}: {
  relations: readonly RelationSummary[];
  /** Whether a search is active. If so, the results are shown even if the section is collapsed. */
  isSearched: boolean;
}) {
  const id = useId();
  const { schema } = useParams({ strict: false });
  const [isOpen, setOpen] = useState(() => readOpen() || (schema !== undefined && isSystemSchema(schema)));
  const isShown = isOpen || isSearched;
  const Chevron = isShown ? IconChevronDown : IconChevronRight;
  return (
    <div>
      {isSearched ? null : (
        <button
          type="button"
          className={classes.system}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => {
            setOpen(!isOpen);
            keepOpen(!isOpen);
          }}
        >
          <Chevron size={14} aria-hidden />
          {t('tables.system')}
          <span className={classes.count}>{relations.length}</span>
        </button>
      )}
      <div id={id}>{isShown ? <Schemas relations={relations} /> : null}</div>
    </div>
  );
}

function readOpen(): boolean {
  try {
    return localStorage.getItem(systemKey) === 'open';
  } catch {
    return false;
  }
}

function keepOpen(isOpen: boolean): void {
  try {
    localStorage.setItem(systemKey, isOpen ? 'open' : 'closed');
  } catch {
    // Without browser storage, the system schemas are collapsed again on the next visit.
  }
}

function TableLink({ relation: { schema, name, kind, rls, comment } }: { relation: RelationSummary }) {
  const id = useId();
  const isOpen = schema === 'public' && kind === 'table' && !rls;
  function enter(link: HTMLElement): void {
    if (link.getAttribute('aria-current') !== 'page' || !focusShownRows())
      focusRowsOf({ schema, table: name });
  }
  return (
    <>
      <Link
        to="/tables/$schema/$table"
        params={{ schema, table: name }}
        search={{}}
        activeOptions={{ includeSearch: false }}
        className={classes.link}
        onClick={(event) => {
          if (isFromKeyboard(event)) enter(event.currentTarget);
        }}
        title={comment ?? `${schema}.${name}`}
        aria-describedby={isOpen ? id : undefined}
      >
        {kind.includes('view') ? <IconEye size={15} aria-hidden /> : <IconTable size={15} aria-hidden />}
        <span className={classes.name}>{name}</span>
        {isOpen ? (
          <span className={classes.open} title={t('tables.no-rls')} aria-hidden>
            RLS
          </span>
        ) : null}
      </Link>
      {isOpen ? (
        <span id={id} hidden>
          {t('tables.no-rls')}
        </span>
      ) : null}
    </>
  );
}

/** Whether the Enter key caused the click, without a modifier key that opens another tab or window. */
const isFromKeyboard = ({ detail, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  detail === 0 && !(ctrlKey || metaKey || shiftKey);
