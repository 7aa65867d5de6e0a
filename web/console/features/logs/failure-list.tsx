/** Lists failures that differ only in values as one row. */
import { IconCircleCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { AskedNote } from '../../components/asked-nodes.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SparkBars } from '../../components/spark-bars.tsx';
import { Tag } from '../../components/tag.tsx';
import { type FailureGroup, failuresQuery, type LogFilter } from './api.ts';
import { timeText } from './histogram.tsx';
import { failuresOf } from './merge-parts.ts';
import classes from './page.module.css';
import { StatusTag } from './parts.tsx';
import { SearchedNote } from './searched-note.tsx';
import { t } from './text.ts';

export function FailureList({
  filter,
  onOpen,
}: {
  filter: LogFilter;
  /** Opens the latest failure of a group. */
  onOpen: (group: FailureGroup) => void;
}) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    failuresQuery(filter, true),
  );
  const found = failuresOf(data?.pages.map(({ part }) => part) ?? []);
  if (error !== null) return <ProblemBox error={error} />;
  if (found === undefined) return <SkeletonLines lines={12} />;
  return (
    <>
      <AskedNote nodes={found.nodes} />
      {found.searchedTo === null ? null : (
        <SearchedNote
          text={t('logs.searched-to', { time: timeText(found.searchedTo) })}
          action={t('logs.search-more')}
          isBusy={isFetchingNextPage}
          onMore={hasNextPage ? () => void fetchNextPage() : undefined}
        />
      )}
      {found.groups.length === 0 ? (
        <EmptyState
          icon={<IconCircleCheck size={22} stroke={1.75} />}
          title={t('logs.failures-none')}
          text={t('logs.failures-none-text')}
        />
      ) : (
        <FailureTable groups={found.groups} onOpen={onOpen} />
      )}
      {found.others === 0 ? null : (
        <p className={classes.searched}>{t('logs.failures-others', { count: found.others })}</p>
      )}
    </>
  );
}

function FailureTable({
  groups,
  onOpen,
}: {
  groups: readonly FailureGroup[];
  onOpen: (group: FailureGroup) => void;
}) {
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('logs.list-failures')}</caption>
      <thead>
        <tr>
          <th scope="col" className={`${classes.count} ${classes.number}`}>
            {t('logs.count')}
          </th>
          <th scope="col" className={classes.status}>
            {t('logs.status')}
          </th>
          <th scope="col">{t('logs.failure')}</th>
          <th scope="col" className={`${list.wide} ${classes.service}`}>
            {t('logs.service')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.spark}`}>
            {t('logs.over-time')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.time}`}>
            {t('logs.first')}
          </th>
          <th scope="col" className={classes.time}>
            {t('logs.last')}
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.key} data-level={group.level}>
            <td className={classes.number}>{group.count.toLocaleString('en')}</td>
            <td>
              {group.status === undefined ? (
                <Tag tone={group.level === 'error' ? 'danger' : 'warning'}>{group.level}</Tag>
              ) : (
                <StatusTag status={group.status} />
              )}
            </td>
            <td>
              <button type="button" className={classes.what} onClick={() => onOpen(group)}>
                {group.kind === 'request' ? (
                  <>
                    <span className={classes.method}>{group.method}</span> {group.route}
                  </>
                ) : (
                  group.message || t('logs.no-message')
                )}
                {group.code === undefined ? null : <span className={classes.who}> · {group.code}</span>}
              </button>
            </td>
            <td className={`${list.wide} ${list.dim}`}>{group.service}</td>
            <td className={list.wide}>
              <SparkBars
                series={[{ values: group.steps, color: 'var(--plinth-danger)' }]}
                label={t('logs.over-time')}
              />
            </td>
            <td className={`${list.wide} ${list.dim} ${classes.clock}`}>{timeText(group.firstAt)}</td>
            <td className={`${list.dim} ${classes.clock}`}>{timeText(group.lastAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
