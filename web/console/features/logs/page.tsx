/** The log page, which shows the entries of all services, newest first. */

import { Button } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { consoleUrl } from '../../api/route.ts';
import { AskedNote, hasSeveralNodes } from '../../components/asked-nodes.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { useEntryStream } from '../../components/use-entry-stream.ts';
import { t as common } from '../../text.ts';
import { filterQuery, type LogEntry, type LogFilter, logsQuery } from './api.ts';
import { LinePanel, RequestPanel } from './entry-panel.tsx';
import { Filters } from './filters.tsx';
import { LogTable } from './log-table.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/logs');

export function LogsPage() {
  const { live = false, open, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(logsQuery(filter));
  const tail = useEntryStream<LogEntry>(
    live ? consoleUrl('GET /logs/tail', { query: filterQuery(filter) }) : undefined,
  );
  const [line, setLine] = useState<LogEntry | undefined>();
  const stored = data?.pages.flatMap((page) => page.entries);
  const nodes = data?.pages[0]?.nodes;
  const isFiltered = Object.keys(filter).length > 0;
  const entries = stored === undefined ? undefined : merged(tail.entries.toReversed(), stored);
  const change = (name: keyof LogFilter, value: string): void =>
    void navigate({
      search: ({ [name]: _previous, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }),
      replace: true,
    });
  return (
    <>
      <PageHead title={t('logs.title')}>
        <Filters
          filter={filter}
          nodes={nodes}
          onChange={change}
          isLive={live}
          onLive={(next) =>
            void navigate({
              search: ({ live: _previous, ...rest }) => (next ? { ...rest, live: true } : rest),
              replace: true,
            })
          }
        />
      </PageHead>
      <div className={list.scroll}>
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
        ) : entries.length === 0 ? (
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
        ) : (
          <LogTable
            entries={entries}
            hasNodes={hasSeveralNodes(nodes)}
            openId={open}
            onOpen={(entry) => {
              const { requestId } = entry;
              if (requestId === undefined) setLine(entry);
              else void navigate({ search: (previous) => ({ ...previous, open: requestId }) });
            }}
          />
        )}
        <LoadMore
          label={t('logs.older')}
          hasMore={hasNextPage}
          isBusy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
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
