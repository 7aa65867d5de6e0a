/** The header of a list in the section, with its filters. */
import { Checkbox, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageHead } from '../../components/frame/page.tsx';
import lists from '../../components/list.module.css';
import { SearchInput } from '../../components/search-input.tsx';
import type { ObjectSearch } from './list-search.ts';
import { t } from './text.ts';

export type ChangeSearch = (next: { [Name in keyof ObjectSearch]?: ObjectSearch[Name] | undefined }) => void;

export function ListHead({
  title,
  searchLabel,
  search: { filter = '', schema = '', system },
  schemas,
  onChange,
  children,
}: {
  title: string;
  searchLabel: string;
  search: ObjectSearch;
  schemas: readonly string[];
  onChange: ChangeSearch;
  children?: ReactNode;
}) {
  return (
    <PageHead title={title}>
      <div className={lists.tools}>
        <SearchInput
          label={searchLabel}
          value={filter}
          width="toolbar"
          autoComplete="off"
          onChange={(value) => onChange({ filter: value === '' ? undefined : value })}
        />
        <NativeSelect
          size="xs"
          aria-label={t('database.schema')}
          value={schema}
          data={[
            { value: '', label: t('database.every-schema') },
            ...schemas.map((name) => ({ value: name, label: name })),
          ]}
          onChange={(event) => onChange({ schema: event.currentTarget.value || undefined })}
        />
        <Checkbox
          size="xs"
          label={t('database.system')}
          checked={system === true}
          onChange={(event) => onChange({ system: event.currentTarget.checked ? true : undefined })}
        />
        {children}
      </div>
    </PageHead>
  );
}

/** Merges a change into the search parameters. A change of a filter leads back to the first page. */
export const merged = (
  previous: ObjectSearch,
  next: { [Name in keyof ObjectSearch]?: ObjectSearch[Name] | undefined },
): ObjectSearch =>
  Object.fromEntries(
    Object.entries({ ...previous, ...('open' in next ? {} : { page: undefined }), ...next }).filter(
      ([, value]) => value !== undefined,
    ),
  );
