/** The audit log, newest first. */
import { NativeSelect } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import list from '../../components/list.module.css';
import { LoadMore } from '../../components/load-more.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { t } from '../operators/text.ts';
import { type AuditEntry, type AuditSearch, auditFacetsQuery, auditQuery } from './api.ts';
import classes from './page.module.css';

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
          />
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

function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  const [openId, setOpenId] = useState<string | undefined>();
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('audit.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('audit.when')}</th>
          <th scope="col" className={list.wide}>
            {t('audit.operator')}
          </th>
          <th scope="col">{t('audit.action')}</th>
          <th scope="col">{t('audit.target')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, at, operator_name, action, target, detail, request_id }) => (
          <Fragment key={id}>
            <tr data-open={openId === id || undefined}>
              <td className={list.dim}>
                <Moment at={at} relative />
              </td>
              <td className={list.wide}>{operator_name}</td>
              <td>
                <button
                  type="button"
                  className={classes.action}
                  aria-expanded={openId === id}
                  aria-label={t('audit.open', { action })}
                  onClick={() => setOpenId(openId === id ? undefined : id)}
                >
                  <code>{action}</code>
                </button>
              </td>
              <td title={target}>{target}</td>
            </tr>
            {openId === id ? (
              <tr>
                <td colSpan={4} className={classes.detail}>
                  <Facts layout="columns" className={classes.facts}>
                    <Fact label={t('audit.when')}>
                      <Moment at={at} />
                    </Fact>
                    <Fact label={t('audit.operator')}>{operator_name}</Fact>
                    <Fact label={t('audit.target')}>{target}</Fact>
                    {request_id === null ? null : (
                      <Fact label={t('audit.request')}>
                        <Copyable value={request_id} what={t('audit.request')} />
                      </Fact>
                    )}
                  </Facts>
                  <JsonBlock value={detail} what={t('audit.detail')} />
                </td>
              </tr>
            ) : null}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
