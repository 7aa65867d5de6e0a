/** The form for choosing the table, operation and row that the question is about. */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { tablesQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { Relation } from '../../api/types.ts';
import { submitFromSelect } from '../../components/keyboard/submit-from-select.ts';
import classes from './page.module.css';
import { Pairs } from './pairs.tsx';
import { type Cells, type Operation, operations, type WhySearch } from './search.ts';
import { t } from './text.ts';
import type { Step } from './use-next-field.ts';

const route = getRouteApi('/app/why');

export function QuestionForm({
  relation,
  search,
  step,
  onTable,
  onAsk,
}: {
  relation: Relation | undefined;
  search: WhySearch;
  step: Step;
  /** Called when the operator confirms the table with Enter. */
  onTable: () => void;
  /** Called when the operator submits the form. `isSame` is true if the question hasn't changed. */
  onAsk: (isSame: boolean) => void;
}) {
  const navigate = route.useNavigate();
  const { data: tables = [] } = useQuery(tablesQuery);
  /** Whether the operator has chosen a table, which may not be in the URL yet. */
  const isChosen = useRef(false);
  return (
    <div className={classes.form}>
      <NativeSelect
        size="xs"
        label={t('why.table')}
        data-next={step === 'table' || undefined}
        value={search.table === undefined ? '' : JSON.stringify([search.schema, search.table])}
        data={[
          { value: '', label: t('why.pick') },
          ...[...tables]
            .sort((left, right) => Number(right.schema === 'public') - Number(left.schema === 'public'))
            .map(({ schema, name }) => ({
              value: JSON.stringify([schema, name]),
              label: schema === 'public' ? name : `${schema}.${name}`,
            })),
        ]}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          if (step === 'row' || (step === 'table' && isChosen.current)) onTable();
        }}
        onChange={(event) => {
          const [schema, table] = JSON.parse(event.currentTarget.value || '[]') as string[];
          isChosen.current = table !== undefined;
          void navigate({
            search: ({ as }) => ({
              ...(as === undefined ? {} : { as }),
              ...(schema === undefined || table === undefined ? {} : { schema, table }),
            }),
          });
        }}
      />
      {relation === undefined ? null : (
        <RowForm
          key={`${search.schema}.${search.table}`}
          relation={relation}
          search={search}
          isNext={step === 'row'}
          onAsk={onAsk}
        />
      )}
    </div>
  );
}

/** The form changes the URL only when it is submitted, because opening the URL runs the statement. */
function RowForm({
  relation,
  search,
  isNext,
  onAsk,
}: {
  relation: Relation;
  search: WhySearch;
  /** Whether the value of the key is missing. */
  isNext: boolean;
  onAsk: (isSame: boolean) => void;
}) {
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [draft, setDraft] = useState(() => draftOf(search, relation));
  const [shown, setShown] = useState(search);
  const [lacksKey, setLacksKey] = useState(false);
  // The Back button and logged requests also change the URL. The fields aren't re-created, so that the focused field
  // keeps the focus.
  if (shown !== search) {
    setShown(search);
    if (isOtherRow(shown, search)) setDraft(draftOf(search, relation));
  }
  const { op, key, values, unknownValues, back } = draft;
  const change = (part: Partial<Draft>): void => {
    setLacksKey(false);
    setDraft({ ...draft, ...part });
  };
  const columns = relation.columns.map(({ name }) => name);
  return (
    <form
      className={classes.fields}
      aria-label={t('why.form')}
      onKeyDown={submitFromSelect}
      onSubmit={(event) => {
        event.preventDefault();
        const isUnknownRow = op !== 'insert' && Object.keys(key).length === 0;
        setLacksKey(isUnknownRow);
        if (isUnknownRow) return;
        const kept = op === 'update' ? unknownValues.filter((name) => name in values) : [];
        const asked: WhySearch = {
          op,
          key,
          values: Object.fromEntries(Object.entries(values).filter(([name]) => !kept.includes(name))),
          ...(kept.length === 0 ? {} : { columns: kept }),
          ...(back ? { back: true as const } : {}),
        };
        onAsk(!isOtherRow(search, asked));
        void navigate({
          search: ({ request: _taken, back: _back, columns: _columns, ...previous }) => ({
            ...previous,
            ...asked,
          }),
        });
      }}
    >
      <NativeSelect
        size="xs"
        label={t('why.operation')}
        value={op}
        data={operations
          .filter((each) => mayWrite || each === 'select')
          .map((value) => ({ value, label: t(`why.op.${value}`) }))}
        onChange={(event) => change({ op: event.currentTarget.value as Operation })}
      />
      {mayWrite ? null : <p className={classes.dim}>{t('why.reads-only')}</p>}
      {op === 'insert' ? null : (
        <Pairs
          title={t('why.key')}
          columns={columns}
          cells={key}
          isNext={isNext}
          error={lacksKey ? t('why.key-missing') : undefined}
          onChange={(next) => change({ key: next })}
        />
      )}
      {op === 'insert' || op === 'update' ? (
        <Pairs
          title={t('why.values')}
          columns={columns}
          cells={values}
          unknown={op === 'update' ? unknownValues : []}
          hint={t(op === 'update' ? 'why.values-hint' : 'why.values-insert-hint')}
          onChange={(next) =>
            change({
              values: next,
              // A value that the operator has entered is known.
              unknownValues: unknownValues.filter((name) => next[name] === values[name]),
            })
          }
        />
      ) : null}
      {op === 'select' ? null : (
        <Checkbox
          size="xs"
          label={t('why.back')}
          checked={back}
          onChange={(event) => change({ back: event.currentTarget.checked })}
        />
      )}
      <Button type="submit" size="compact-sm">
        {t('why.ask')}
      </Button>
    </form>
  );
}

interface Draft {
  readonly op: Operation;
  readonly key: Cells;
  readonly values: Cells;
  /** The columns in `values` whose values the operator hasn't entered yet. */
  readonly unknownValues: readonly string[];
  readonly back: boolean;
}

function draftOf({ op, key = {}, values = {}, columns = [], back }: WhySearch, relation: Relation): Draft {
  const unknownValues = columns.filter(
    (name) => !(name in values) && relation.columns.some((column) => column.name === name),
  );
  return {
    op: op ?? 'select',
    key: Object.keys(key).length > 0 ? key : keyOf(relation),
    values: { ...values, ...Object.fromEntries(unknownValues.map((name) => [name, ''])) },
    unknownValues,
    back: back === true,
  };
}

/** Whether the question in the URL is about a different row or operation than before. */
const isOtherRow = (before: WhySearch, after: WhySearch): boolean =>
  JSON.stringify([before.op, before.key, before.values, before.columns, before.back]) !==
  JSON.stringify([after.op, after.key, after.values, after.columns, after.back]);

function keyOf({ columns }: Relation): Cells {
  const keys = columns.filter((column) => column.primary_key);
  const [first] = columns;
  const names = keys.length > 0 ? keys : first === undefined ? [] : [first];
  return Object.fromEntries(names.map(({ name }) => [name, '']));
}
