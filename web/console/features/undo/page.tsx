/** Lists the journaled changes, the newest first. */
import { Button, NativeSelect } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { formatDateTime } from '../../../lib/i18n.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type JournalEntry, type UndoSearch, undoFacetsQuery, undoQuery } from './api.ts';
import { actionText, t } from './text.ts';
import classes from './undo.module.css';

const route = getRouteApi('/app/undo');

export function UndoPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(undoQuery(search));
  const { data: facets } = useQuery(undoFacetsQuery);
  const change = (name: keyof UndoSearch, value: string): void =>
    void navigate({
      search: ({ [name]: _previous, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }),
      replace: true,
    });
  const entries = data?.pages.flatMap((page) => page.entries);
  const [first] = data?.pages ?? [];
  const isFiltered = Object.keys(search).length > 0;
  const filter = (
    name: keyof UndoSearch,
    { label, any, values = [] }: { label: string; any: string; values?: readonly string[] | undefined },
  ) => {
    const chosen = search[name];
    const all = [...new Set(chosen === undefined ? values : [...values, chosen])];
    return (
      <NativeSelect
        size="xs"
        aria-label={label}
        value={chosen ?? ''}
        data={[
          { value: '', label: any },
          ...all.map((value) => ({ value, label: name === 'action' ? actionText(value) : value })),
        ]}
        onChange={(event) => change(name, event.currentTarget.value)}
      />
    );
  };
  return (
    <>
      <PageHead title={t('undo.title')}>
        <div className={list.tools}>
          {filter('table', { label: t('undo.table'), any: t('undo.all-tables'), values: facets?.tables })}
          {filter('operator', {
            label: t('undo.operator'),
            any: t('undo.all-operators'),
            values: facets?.operators,
          })}
          {filter('action', { label: t('undo.action'), any: t('undo.all-actions'), values: facets?.actions })}
        </div>
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {entries === undefined || first === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : entries.length === 0 ? (
          <Nothing isKept={first.isKept} days={first.days} isFiltered={isFiltered}>
            {isFiltered ? (
              <Button
                size="sm"
                variant="default"
                onClick={() => void navigate({ search: {}, replace: true })}
              >
                {t('undo.clear')}
              </Button>
            ) : null}
          </Nothing>
        ) : (
          <>
            <p className={classes.intro}>{t('undo.text', { days: first.days })}</p>
            <EntryTable entries={entries} />
          </>
        )}
        <LoadMore
          label={t('undo.older')}
          hasMore={hasNextPage}
          isBusy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      </div>
    </>
  );
}

function Nothing({
  isKept,
  days,
  isFiltered,
  children,
}: {
  isKept: boolean;
  days: number;
  isFiltered: boolean;
  children: React.ReactNode;
}) {
  const state = !isKept ? 'hosted' : days === 0 ? 'off' : 'none';
  return (
    <EmptyState
      icon={<IconArrowBackUp size={22} stroke={1.75} />}
      title={state === 'none' && isFiltered ? t('undo.no-match') : t(`undo.${state}-title`)}
      text={t(`undo.${state}-text`)}
    >
      {children}
    </EmptyState>
  );
}

function EntryTable({ entries }: { entries: readonly JournalEntry[] }) {
  return (
    <table className={`${list.table} ${list.wraps}`}>
      <caption className="visually-hidden">{t('undo.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('undo.when')}</th>
          <th scope="col">{t('undo.change')}</th>
          <th scope="col" className={list.wide}>
            {t('undo.operator')}
          </th>
          <th scope="col">{t('undo.state')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td className={list.dim}>
              <Moment at={entry.at} relative />
            </td>
            <td>
              <Link
                to="/undo/$id"
                params={{ id: String(entry.id) }}
                className={classes.link}
                aria-label={t('undo.open', {
                  time: formatDateTime(entry.at),
                  what: actionText(entry.action),
                })}
              >
                {actionText(entry.action)}
              </Link>
              <TableCounts entry={entry} />
            </td>
            <td className={list.wide}>{entry.operator}</td>
            <td>
              <EntryTag entry={entry} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const TableCounts = ({ entry: { tables } }: { entry: JournalEntry }) => (
  <ul className={classes.counts}>
    {tables.map(({ schema, name, rows }) => (
      <li key={`${schema}.${name}`}>{t('undo.rows', { table: `${schema}.${name}`, count: rows })}</li>
    ))}
  </ul>
);

/** Shows whether a change was undone or can't be undone. */
export function EntryTag({ entry: { tables, undoneBy } }: { entry: JournalEntry }) {
  if (undoneBy.length > 0) return <Tag tone="success">{t('undo.undone')}</Tag>;
  if (tables.every(({ reason }) => reason !== null)) return <Tag tone="warning">{t('undo.not-kept')}</Tag>;
  if (tables.some(({ reason }) => reason !== null)) return <Tag tone="warning">{t('undo.partly')}</Tag>;
  return null;
}
