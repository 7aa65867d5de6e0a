import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import list from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type ExtensionName, type Pair, type PartState, type Parts, partsQuery } from './api.ts';
import classes from './jobs.module.css';
import { t } from './text.ts';

/**
 * Shows the page if its extension is enabled. Otherwise, explains the extension's purpose and how to enable the
 * extension.
 */
export function Enabled({
  extension,
  stateOf,
  icon,
  title,
  text,
  children,
}: {
  extension: ExtensionName;
  stateOf: (parts: Parts) => PartState;
  icon: ReactNode;
  title: string;
  text: string;
  children: ReactNode;
}) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(partsQuery);
  const enable = useMutation({
    mutationFn: () => fetchConsole('POST /jobs/extensions', { body: { name: extension } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: partsQuery.queryKey }),
  });
  if (data === undefined)
    return (
      <div className={list.scroll}>
        {error === null ? <SkeletonLines lines={8} /> : <ProblemBox error={error} />}
      </div>
    );
  const state = stateOf(data);
  if (state === 'ready') return children;
  if (state === 'missing')
    return (
      <div className={list.scroll}>
        <EmptyState
          icon={icon}
          title={t('jobs.missing', { name: extension })}
          text={t('jobs.missing-text')}
        />
      </div>
    );
  return (
    <div className={list.scroll}>
      <EmptyState icon={icon} title={title} text={text}>
        {mayWrite ? (
          <Button size="sm" loading={enable.isPending} onClick={() => enable.mutate()}>
            {t('jobs.enable', { name: extension })}
          </Button>
        ) : null}
        {enable.error === null ? null : <ProblemBox error={enable.error} />}
        <div className={classes.statement}>
          <p>{t(mayWrite ? 'jobs.enable-sql' : 'jobs.enable-sql-only')}</p>
          <CodeBlock text={`${data.enabling[extension]};`} what={t('jobs.statement')} />
        </div>
      </EmptyState>
    </div>
  );
}

export function LoadOlder({
  hasMore,
  isBusy,
  onMore,
}: {
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => void;
}) {
  return <LoadMore label={t('jobs.older')} hasMore={hasMore} isBusy={isBusy} isCompact onMore={onMore} />;
}

/** Formats pairs as one `name: value` per line. Values that the operator's role can't see are marked as hidden. */
export const pairsText = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${name}: ${value ?? t('jobs.hidden')}`).join('\n');

export const durationText = (ms: number): string =>
  ms < 1000
    ? t('jobs.ms', { ms: String(Math.max(0, Math.round(ms))) })
    : t('jobs.seconds', { seconds: (ms / 1000).toFixed(ms < 10_000 ? 1 : 0) });
