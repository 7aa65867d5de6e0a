/** Creates an index: first the table is chosen, unless it is known, then the columns. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { relationQuery, tablesQuery } from '../../../api/queries.ts';
import { bySchema, isSystemSchema } from '../../../api/system-schemas.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import { vocabularyQuery } from '../../tables/schema/api.ts';
import { NewIndex } from '../../tables/schema/index-panel.tsx';
import classes from '../parts.module.css';
import { t } from '../text.ts';

export interface NewIndexStart {
  readonly at?: { readonly schema: string; readonly table: string };
  readonly columns?: readonly string[];
  readonly unique?: boolean;
}

export function NewIndexPanel({
  start: { at, columns, unique },
  onClose,
}: {
  start: NewIndexStart;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState(at);
  if (chosen === undefined) return <TableChoice onChoose={setChosen} onClose={onClose} />;
  return <OfTable at={chosen} columns={columns} unique={unique} onClose={onClose} />;
}

function OfTable({
  at,
  columns,
  unique,
  onClose,
}: {
  at: NonNullable<NewIndexStart['at']>;
  columns: readonly string[] | undefined;
  unique: boolean | undefined;
  onClose: () => void;
}) {
  const { data: relation, error } = useQuery(relationQuery(at));
  const { data: vocabulary, error: fault } = useQuery(vocabularyQuery);
  if (relation !== undefined && vocabulary !== undefined)
    return (
      <NewIndex
        relation={relation}
        vocabulary={vocabulary}
        {...(columns === undefined ? {} : { columns })}
        {...(unique === undefined ? {} : { unique })}
        onClose={onClose}
      />
    );
  return (
    <SidePanel title={t('indexes.new')} onClose={onClose} wide>
      {(error ?? fault) === null ? <SkeletonLines lines={6} /> : <ProblemBox error={error ?? fault} />}
    </SidePanel>
  );
}

function TableChoice({
  onChoose,
  onClose,
}: {
  onChoose: (at: { readonly schema: string; readonly table: string }) => void;
  onClose: () => void;
}) {
  const { data, error } = useQuery(tablesQuery);
  const [value, setValue] = useState('');
  const tables = (data ?? [])
    .filter(({ schema, kind }) => !isSystemSchema(schema) && indexable.has(kind))
    .toSorted((left, right) => bySchema(left.schema, right.schema) || left.name.localeCompare(right.name));
  const chosen = tables.find((table) => keyOf(table) === value);
  return (
    <SidePanel title={t('indexes.new')} onClose={onClose} wide>
      <form
        className={classes.panel}
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== undefined) onChoose({ schema: chosen.schema, table: chosen.name });
        }}
      >
        {error === null ? null : <ProblemBox error={error} />}
        <SearchSelect
          label={t('indexes.table')}
          placeholder={t('indexes.pick-table')}
          isFocused
          value={value}
          data={tables.map((table) => ({
            value: keyOf(table),
            label: table.schema === 'public' ? table.name : `${table.schema}.${table.name}`,
          }))}
          onChange={setValue}
        />
        <div className={classes.tools}>
          <Button type="submit" size="sm" disabled={chosen === undefined}>
            {t('indexes.continue')}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}

const indexable: ReadonlySet<string> = new Set(['table', 'partitioned table', 'materialized view']);

/** Neither a schema's nor a table's name alone is unique, and both can contain any separator. */
const keyOf = ({ schema, name }: { schema: string; name: string }): string => JSON.stringify([schema, name]);
