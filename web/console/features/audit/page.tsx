/** The audit log page, which lists the newest entries first. */
import { Button, NativeSelect } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { type AuditSearch, auditFacetsQuery, auditQuery } from './api.ts';
import { AuditTable } from './table.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/audit');

export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditQuery(search),
  );
  const { data: facets } = useQuery(auditFacetsQuery);
  const change = (name: keyof AuditSearch, value: string): void =>
    void navigate({
      search: ({ [name]: _previous, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }),
      replace: true,
    });
  const [text, setText] = useDebounced(search.search ?? '', (next) => change('search', next));
  const entries = data?.pages.flatMap((page) => page.entries);
  const options = (any: string, values: readonly string[] = [], chosen = '') => [
    { value: '', label: any },
    ...[...new Set(chosen === '' ? values : [...values, chosen])].map((value) => ({ value, label: value })),
  ];
  return (
    <>
      <PageHead title={t('audit.title')}>
        <div className={list.tools}>
          <SearchInput label={t('audit.search')} value={text} width="toolbar" onChange={setText} />
          <NativeSelect
            size="xs"
            aria-label={t('audit.operator')}
            value={search.operator ?? ''}
            data={options(t('audit.anybody'), facets?.operators, search.operator)}
            onChange={(event) => change('operator', event.currentTarget.value)}
          />
          <NativeSelect
            size="xs"
            aria-label={t('audit.action')}
            value={search.action ?? ''}
            data={options(t('audit.anything'), facets?.actions, search.action)}
            onChange={(event) => change('action', event.currentTarget.value)}
          />
        </div>
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {entries === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : entries.length === 0 ? (
          <EmptyState
            icon={<IconHistory size={22} stroke={1.75} />}
            title={t('audit.none-title')}
            text={t('audit.none-text')}
          >
            {Object.values(search).some((value) => value !== '') ? (
              <Button
                size="sm"
                variant="default"
                onClick={() => void navigate({ search: {}, replace: true })}
              >
                {t('audit.none-clear')}
              </Button>
            ) : null}
          </EmptyState>
        ) : (
          <AuditTable entries={entries} />
        )}
        <LoadMore
          label={t('audit.older')}
          hasMore={hasNextPage}
          isBusy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      </div>
    </>
  );
}
