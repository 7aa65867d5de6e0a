/** The frame of a page that lists objects which have a schema: the filters, the states of loading and the pager. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { Pager } from '../../components/pager.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { listed, type ObjectSearch, perPage } from './list-search.ts';
import { type ChangeSearch, ListHead } from './list-tools.tsx';
import { t } from './text.ts';

interface Texts {
  readonly title: string;
  readonly search: string;
  /** Shown if the project has no such objects. */
  readonly none: string;
  readonly noneText: string;
}

export function ObjectList<Item extends { readonly schema: string; readonly extension?: string | null }>({
  texts,
  icon,
  query: { data, error },
  search,
  nameOf,
  onChange,
  actions,
  children,
}: {
  texts: Texts;
  icon: ReactNode;
  query: Pick<UseQueryResult<readonly Item[]>, 'data' | 'error'>;
  search: ObjectSearch;
  /** Returns the text that a search finds. */
  nameOf: (item: Item) => string;
  onChange: ChangeSearch;
  actions?: ReactNode;
  children: (shown: readonly Item[]) => ReactNode;
}) {
  const { found, shown, schemas } = listed(data ?? [], search, nameOf);
  const isFiltered = search.filter !== undefined || search.schema !== undefined;
  return (
    <>
      <ListHead
        title={texts.title}
        searchLabel={texts.search}
        search={search}
        schemas={schemas}
        onChange={onChange}
      >
        {actions}
      </ListHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : found.length === 0 ? (
          <EmptyState
            icon={icon}
            title={isFiltered ? t('database.no-results') : texts.none}
            text={isFiltered ? t('database.no-results-text') : texts.noneText}
          />
        ) : (
          children(shown)
        )}
      </div>
      {found.length <= perPage ? null : (
        <Pager
          page={search.page ?? 1}
          perPage={perPage}
          total={found.length}
          onPage={(page) => onChange({ page })}
        />
      )}
    </>
  );
}
