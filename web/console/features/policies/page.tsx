/** The policies page, which shows tables with their policies and the rows that a persona can read. */
import { Button, NativeSelect } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { isSystemSchema } from '../../api/system-schemas.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import tabStyles from '../../components/frame/tabs.module.css';
import { lazyPart } from '../../components/lazy-part.ts';
import { MissingNote } from '../../components/missing-note.tsx';
import { Pager } from '../../components/pager.tsx';
import { LazyPersonaPicker } from '../../components/persona/lazy-persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { t as common } from '../../text.ts';
import { type Policies, policiesQuery } from './api.ts';
import { byName, isCompact, keyOf, listTables, tablesPerPage } from './listing.ts';
import { Matrix } from './matrix.tsx';
import classes from './page.module.css';
import type { PolicySearch } from './search.ts';
import { TableSection } from './table-section.tsx';
import { t } from './text.ts';

const PolicyEditor = lazyPart(async () => ({ default: (await import('./editor.tsx')).PolicyEditor }));
const route = getRouteApi('/app/policies');

type Go = (change: Partial<Record<keyof PolicySearch, unknown>>, replace?: boolean) => void;

export function PoliciesPage() {
  const search = route.useSearch();
  const { table: open, policy, isNew, as } = search;
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(policiesQuery);
  const opened = data?.tables.find((each) => keyOf(each) === open);
  const edited = opened?.policies.find(({ name }) => name === policy);
  // A policy that was open may be missing because it has just been renamed or deleted.
  const [shown, setShown] = useState<string>();
  if (edited !== undefined && shown !== policy) setShown(policy);
  const isMissing = policy !== undefined && isNew !== true && edited === undefined && shown !== policy;
  const go: Go = (change, replace = false) => {
    void navigate({
      replace,
      search: (previous) =>
        Object.fromEntries(
          Object.entries({ ...previous, ...change }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ) as PolicySearch,
    });
  };
  return (
    <>
      <PageHead title={t('policies.title')}>
        <LazyPersonaPicker as={as} onChange={(next) => go({ as: next })} />
      </PageHead>
      <nav className={tabStyles.tabs} aria-label={t('policies.views')}>
        {(['tables', 'matrix'] as const).map((view) => (
          <Link
            key={view}
            to="/policies"
            search={(previous) => ({ ...previous, view })}
            className={tabStyles.tab}
            aria-current={(search.view ?? 'tables') === view ? 'page' : undefined}
          >
            {t(view === 'tables' ? 'policies.by-table' : 'policies.matrix')}
          </Link>
        ))}
      </nav>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <>
          {isMissing ? (
            <div className={classes.missing}>
              <MissingNote
                title={t('policies.missing', { policy: policy ?? '', table: open ?? '' })}
                onBack={() => go({ table: undefined, policy: undefined })}
              />
            </div>
          ) : null}
          <Filters data={data} search={search} go={go} />
          <Listing data={data} search={search} mayWrite={mayWrite} go={go} />
        </>
      )}
      {opened === undefined || data === undefined || (isNew !== true && edited === undefined) ? null : (
        <Suspense fallback={null}>
          <PolicyEditor
            key={`${open}${policy}`}
            table={opened}
            policy={isNew === true ? undefined : edited}
            roles={data.roles}
            mayWrite={mayWrite}
            onClose={() => go({ table: undefined, policy: undefined, isNew: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

function Filters({ data, search, go }: { data: Policies; search: PolicySearch; go: Go }) {
  const { filter = '', show, schema, only } = search;
  if (only !== undefined)
    return (
      <p className={classes.filters}>
        {t('policies.only', { table: only.replace(/^public\./, '') })}
        <Button size="compact-sm" variant="default" onClick={() => go({ only: undefined })}>
          {t('policies.only-end')}
        </Button>
      </p>
    );
  const schemas = [...new Set(data.tables.map((table) => table.schema))];
  return (
    <div className={classes.filters}>
      <SearchInput
        label={t('policies.filter')}
        value={filter}
        className={classes.filter}
        // The history entry is replaced, because otherwise the Back button would undo the filter letter by letter.
        onChange={(value) => go({ filter: value, page: undefined }, true)}
      />
      <NativeSelect
        size="xs"
        aria-label={t('policies.show')}
        value={show ?? ''}
        data={[
          { value: '', label: t('policies.show-all') },
          { value: 'off', label: t('policies.show-off') },
          { value: 'bare', label: t('policies.show-bare') },
        ]}
        onChange={(event) => go({ show: event.currentTarget.value, page: undefined }, true)}
      />
      <NativeSelect
        size="xs"
        aria-label={t('policies.schema')}
        value={schema ?? ''}
        data={[
          { value: '', label: t('policies.schema-all') },
          ...schemas.map((value) => ({ value, label: value })),
        ]}
        onChange={(event) => go({ schema: event.currentTarget.value, page: undefined }, true)}
      />
    </div>
  );
}

/** Shown above the system tables if the project has no other tables. */
function NoTable({ mayWrite }: { mayWrite: boolean }) {
  return (
    <>
      <EmptyState
        icon={<IconShieldLock size={22} stroke={1.75} />}
        title={t('policies.none-title')}
        text={t('policies.none-text')}
      >
        {mayWrite ? (
          <Button size="sm" renderRoot={(props) => <Link to="/tables/new" {...props} />}>
            {t('policies.new-table')}
          </Button>
        ) : null}
      </EmptyState>
      <h2 className={classes.system}>{t('policies.system')}</h2>
    </>
  );
}

function Listing({
  data,
  search,
  mayWrite,
  go,
}: {
  data: Policies;
  search: PolicySearch;
  mayWrite: boolean;
  go: Go;
}) {
  // Views have no policies, but they can show the rows of tables that have policies.
  const known = search.view === 'matrix' ? [...data.tables, ...data.others].sort(byName) : data.tables;
  const tables = listTables(known, search);
  const page = Math.min(search.page ?? 1, Math.max(1, Math.ceil(tables.length / tablesPerPage)));
  const shown = tables.slice((page - 1) * tablesPerPage, page * tablesPerPage);
  const isFiltered = (['filter', 'show', 'schema', 'only'] as const).some(
    (name) => search[name] !== undefined,
  );
  if (tables.length === 0)
    return (
      <EmptyState
        icon={<IconShieldLock size={22} stroke={1.75} />}
        title={t(isFiltered ? 'policies.no-match' : 'policies.none-title')}
        text={t(isFiltered ? 'policies.no-match-text' : 'policies.none-text')}
      >
        {isFiltered ? (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => go({ filter: undefined, show: undefined, schema: undefined, only: undefined })}
          >
            {common('filter.clear')}
          </Button>
        ) : null}
      </EmptyState>
    );
  return (
    <>
      {search.view === 'matrix' ? (
        <Matrix tables={shown} />
      ) : (
        <div className={classes.scroll}>
          {isFiltered || data.tables.some(({ schema }) => !isSystemSchema(schema)) ? null : (
            <NoTable mayWrite={mayWrite} />
          )}
          {shown.map((table) => (
            <TableSection
              key={keyOf(table)}
              table={table}
              as={search.as}
              mayWrite={mayWrite}
              isCompact={isCompact(table, tables)}
              onEdit={(name) =>
                go({ table: keyOf(table), policy: name, isNew: name === undefined || undefined })
              }
            />
          ))}
        </div>
      )}
      {tables.length <= tablesPerPage ? null : (
        <Pager
          page={page}
          perPage={tablesPerPage}
          total={tables.length}
          onPage={(next) => go({ page: next })}
        />
      )}
    </>
  );
}
