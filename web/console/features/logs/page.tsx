/** The log page, which shows the entries of all services, newest first. */

import { Button } from '@mantine/core';
import {
  IconFileText,
  IconListDetails,
  IconPlayerPause,
  IconPlayerPlay,
  IconTable,
} from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consoleUrl } from '../../api/route.ts';
import { ActionMenu } from '../../components/action-menu.tsx';
import { AskedNote, hasSeveralNodes } from '../../components/asked-nodes.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { useEntryStream } from '../../components/use-entry-stream.ts';
import { t as common } from '../../text.ts';
import { exportUrl, filterQuery, type LogEntry, type LogFilter, logsQuery } from './api.ts';
import { LinePanel, RequestPanel } from './entry-panel.tsx';
import { FailureList } from './failure-list.tsx';
import { Filters } from './filters.tsx';
import { Histogram, timeText } from './histogram.tsx';
import { LogTable } from './log-table.tsx';
import classes from './page.module.css';
import { msText } from './parts.tsx';
import { SearchedNote } from './searched-note.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/logs');

export function LogsPage() {
  const { live: isFollowing = false, open, list: shown = 'newest', ...filter } = route.useSearch();
  const live = isFollowing && shown === 'newest';
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    logsQuery(filter, shown),
  );
  const tail = useEntryStream<LogEntry>(
    live ? consoleUrl('GET /logs/tail', { query: filterQuery(filter) }) : undefined,
  );
  /** The entries that were shown when the live list was paused. */
  const [paused, setPaused] = useState<readonly LogEntry[] | undefined>();
  const followed = paused ?? tail.entries;
  const [line, setLine] = useState<LogEntry | undefined>();
  const stored = data?.pages.flatMap((page) => page.entries);
  const nodes = data?.pages[0]?.nodes;
  const isFiltered = Object.keys(filter).length > 0;
  const entries = stored === undefined ? undefined : merged(followed.toReversed(), stored);
  const searchedTo = data?.pages.at(-1)?.searchedTo ?? null;
  const change = (changes: { readonly [Name in keyof LogFilter]?: string }, replace = true): void => {
    setPaused(undefined);
    void navigate({
      search: (previous) =>
        Object.fromEntries(Object.entries({ ...previous, ...changes }).filter(([, value]) => value !== '')),
      replace,
    });
  };
  const openEntry = (entry: LogEntry): void => {
    const { requestId } = entry;
    if (requestId === undefined) setLine(entry);
    else void navigate({ search: (previous) => ({ ...previous, open: requestId }) });
  };
  return (
    <>
      <PageHead title={t('logs.title')}>
        <Filters
          filter={filter}
          nodes={nodes}
          onChange={change}
          isLive={live}
          shown={shown}
          onList={(next) =>
            void navigate({
              search: ({ list: _previous, ...rest }) => (next === 'newest' ? rest : { ...rest, list: next }),
              replace: true,
            })
          }
          onLive={(next) => {
            setPaused(undefined);
            void navigate({
              search: ({ live: _previous, list: _list, ...rest }) => (next ? { ...rest, live: true } : rest),
              replace: true,
            });
          }}
        >
          {live ? (
            <PauseButton
              newCount={paused === undefined ? undefined : newerThan(tail.entries, paused)}
              onToggle={() => setPaused(paused === undefined ? tail.entries : undefined)}
            />
          ) : null}
          <ExportMenu filter={filter} />
        </Filters>
      </PageHead>
      <div className={list.scroll}>
        <Histogram
          filter={filter}
          onRange={(since, until) =>
            change(
              { minutes: '', since: new Date(since).toISOString(), until: new Date(until).toISOString() },
              false,
            )
          }
        />
        {shown === 'failures' ? (
          <FailureList filter={filter} onOpen={({ example }) => openEntry(example)} />
        ) : (
          <>
            {error === null ? null : <ProblemBox error={error} />}
            <AskedNote nodes={data?.pages.at(-1)?.nodes} />
            {tail.left === 0 ? null : (
              <p role="status" className={classes.left}>
                {t('logs.left', { count: tail.left })}
              </p>
            )}
            {entries === undefined ? (
              error === null ? (
                <SkeletonLines lines={12} />
              ) : null
            ) : entries.length === 0 && searchedTo === null ? (
              <EmptyState
                icon={<IconListDetails size={22} stroke={1.75} />}
                title={t('logs.none-title')}
                text={t(isFiltered ? 'logs.none-filtered' : 'logs.none-text')}
              >
                {isFiltered ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => void navigate({ search: live ? { live } : {}, replace: true })}
                  >
                    {common('filter.clear')}
                  </Button>
                ) : null}
              </EmptyState>
            ) : entries.length === 0 ? null : (
              <LogTable
                entries={entries}
                hasNodes={hasSeveralNodes(nodes)}
                openId={open}
                onOpen={openEntry}
              />
            )}
            {searchedTo === null ? (
              <LoadMore
                label={t(shown === 'slowest' ? 'logs.search-more' : 'logs.older')}
                hasMore={hasNextPage}
                isBusy={isFetchingNextPage}
                onMore={() => void fetchNextPage()}
              />
            ) : (
              <SearchedNote
                text={
                  shown === 'slowest'
                    ? t('logs.searched-to-ms', { ms: msText(searchedTo) })
                    : t('logs.searched-to', { time: timeText(searchedTo) })
                }
                action={t('logs.search-more')}
                isBusy={isFetchingNextPage}
                onMore={hasNextPage ? () => void fetchNextPage() : undefined}
              />
            )}
          </>
        )}
      </div>
      {open === undefined ? null : (
        <RequestPanel
          requestId={open}
          onClose={() => void navigate({ search: ({ open: _closed, ...rest }) => rest })}
        />
      )}
      {line === undefined ? null : <LinePanel entry={line} onClose={() => setLine(undefined)} />}
    </>
  );
}

/** @param newCount The number of entries that arrived since the list was paused. Undefined if it isn't paused. */
function PauseButton({ newCount, onToggle }: { newCount: number | undefined; onToggle: () => void }) {
  const Icon = newCount === undefined ? IconPlayerPause : IconPlayerPlay;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon size={14} aria-hidden />}
      onClick={onToggle}
    >
      {newCount === undefined ? t('logs.pause') : t('logs.resume', { count: newCount })}
    </Button>
  );
}

function ExportMenu({ filter }: { filter: LogFilter }) {
  const icons = { csv: IconTable, ndjson: IconFileText };
  return (
    <ActionMenu
      label={t('logs.export')}
      actions={(['csv', 'ndjson'] as const).map((format) => {
        const Icon = icons[format];
        return {
          label: t(`logs.export-${format}`),
          icon: <Icon size={16} aria-hidden />,
          onChoose: () => location.assign(exportUrl(filter, format)),
        };
      })}
    />
  );
}

/** Returns the number of live entries that arrived after the others. */
function newerThan(all: readonly LogEntry[], earlier: readonly LogEntry[]): number {
  const last = earlier.at(-1);
  return last === undefined ? all.length : all.length - 1 - all.lastIndexOf(last);
}

/** Merges live entries with loaded entries and removes duplicates. */
function merged(live: readonly LogEntry[], stored: readonly LogEntry[]): readonly LogEntry[] {
  const newest = stored[0]?.at ?? 0;
  const known = new Set(stored.filter(({ at }) => at === newest).map((entry) => JSON.stringify(entry)));
  return [
    ...live
      .filter((entry) => entry.at > newest || (entry.at === newest && !known.has(JSON.stringify(entry))))
      // Entries of other nodes arrive up to a second late.
      .sort((left, right) => right.at - left.at),
    ...stored,
  ];
}
