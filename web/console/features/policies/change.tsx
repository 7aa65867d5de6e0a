/** Shows a change to a table's policies as SQL, runs the SQL, and can save it as a migration file. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../components/confirm.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import {
  type MigrationChoice,
  MigrationFields,
  useMigrationChoice,
} from '../../components/migration-choice.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import {
  type Change,
  changePolicies,
  isWholeChange,
  type Policies,
  policiesQuery,
  previewQuery,
  type SecuredTable,
} from './api.ts';
import { Comparison } from './comparison.tsx';
import classes from './editor.module.css';
import { t } from './text.ts';

/** Replaces the listed tables with the tables in a response. */
export function useListing(): (response: Pick<Policies, 'tables'>) => void {
  const queryClient = useQueryClient();
  return ({ tables }) =>
    queryClient.setQueryData<Policies>(policiesQuery.queryKey, (previous) =>
      previous === undefined ? previous : { ...previous, tables },
    );
}

export function useChange(table: SecuredTable, onDone: () => void) {
  const queryClient = useQueryClient();
  const list = useListing();
  return useMutation({
    mutationFn: ({ change, migration }: { change: Change; migration: MigrationChoice['body'] }) =>
      changePolicies(table, change, migration),
    onSuccess: (response) => {
      list(response);
      void queryClient.invalidateQueries({ queryKey: ['rows-as'] });
      void queryClient.invalidateQueries({ queryKey: ['tables'] });
      void queryClient.invalidateQueries({ queryKey: ['relation'] });
      onDone();
    },
  });
}

/** Asks for confirmation of a change that has no form, such as turning row-level security off. */
export function ConfirmChange({
  table,
  change,
  title,
  action,
  text,
  migration,
  isMild = false,
  onDone,
  onClose,
}: {
  table: SecuredTable;
  change: Change;
  title: string;
  action: string;
  text: string;
  /** The suggested name of the migration file. */
  migration: string;
  isMild?: boolean;
  onDone: () => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useChange(table, onDone);
  const choice = useMigrationChoice(migration);
  return (
    <Confirm
      title={title}
      action={action}
      isBusy={isPending || !choice.isReady}
      isMild={isMild}
      error={error}
      onConfirm={() => mutate({ change, migration: choice.body })}
      onClose={onClose}
    >
      <div className={classes.form}>
        <p>{text}</p>
        <Comparison table={table} change={change} />
        <SqlPreview table={table} change={change} />
        <MigrationFields choice={choice} />
      </div>
    </Confirm>
  );
}

export function SqlPreview({ table, change }: { table: SecuredTable; change: Change }) {
  const [settled, setSettled] = useState(() => JSON.stringify(change));
  const [text, setText] = useDebounced(settled, setSettled);
  const wanted = JSON.stringify(change);
  if (wanted !== text) setText(wanted);
  const isWhole = isWholeChange(change);
  const { data, error } = useQuery({
    ...previewQuery(table, JSON.parse(settled) as Change),
    enabled: isWhole && settled === wanted,
  });
  if (!isWhole) return null;
  if (error !== null && settled === wanted) return <ProblemBox error={error} />;
  return data === undefined ? null : (
    <div>
      <p className={classes.label}>{t('policies.sql')}</p>
      <CodeBlock text={data} what={t('policies.sql')} />
    </div>
  );
}
