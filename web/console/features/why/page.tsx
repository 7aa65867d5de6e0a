/**
 * Explains access to rows. The operator selects a row, an operation and a persona, and the page shows the result with
 * its reasons. The URL contains all choices.
 */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { relationQuery, tablesQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { Relation } from '../../api/types.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/page.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { findRequest, type Question, reportQuery } from './api.ts';
import { lastPersona, rememberPersona } from './last-persona.ts';
import classes from './page.module.css';
import { Pairs } from './pairs.tsx';
import { ReportView } from './report.tsx';
import { questionOf } from './request.ts';
import { type Cells, type Operation, operations, type WhySearch } from './search.ts';
import { t } from './text.ts';
import { Who } from './who.tsx';

const route = getRouteApi('/app/why');

export function WhyPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { schema, table, as, request } = search;
  const setPersona = (next: string, replace = false): void => {
    void navigate({ replace, search: (previous) => ({ ...previous, as: next }) });
  };
  // The address contains the persona, so it can be shared. A logged request has its own persona.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new address can lack the persona
  useEffect(() => {
    const last = lastPersona();
    if (as === undefined && request === undefined && last !== undefined) setPersona(last, true);
    if (as !== undefined) rememberPersona(as);
  }, [as, request]);
  const { data: relation, error } = useQuery({
    ...relationQuery({ schema: schema ?? '', table: table ?? '' }),
    enabled: schema !== undefined,
  });
  const question = relation === undefined ? undefined : questionFrom(search, relation);
  return (
    <>
      <PageHead title={t('why.title')} />
      <div className={classes.scroll}>
        <div className={classes.columns}>
          <div className={classes.side}>
            <Who as={as} onChange={setPersona} />
            <QuestionForm
              key={`${schema}.${table}.${relation?.name}.${search.op}.${JSON.stringify(search.key)}`}
              relation={relation}
              search={search}
            />
          </div>
          <div className={classes.main}>
            {error === null ? null : <ProblemBox error={error} />}
            {question === undefined ? (
              error === null ? (
                <EmptyState
                  icon={<IconHelpCircle size={22} stroke={1.75} />}
                  title={t(as === undefined ? 'why.who-title' : 'why.empty-title')}
                  text={t(as === undefined ? 'why.who-text' : 'why.empty-text')}
                />
              ) : null
            ) : (
              <Report question={question} />
            )}
          </div>
          <div className={classes.request}>
            <FromRequest requestId={search.request} />
          </div>
        </div>
      </div>
    </>
  );
}

/** Returns the question in the URL, or undefined if it is incomplete. */
function questionFrom(search: WhySearch, relation: Relation): Question | undefined {
  const { schema, table, as, op, key = {}, values = {}, back } = search;
  if (schema === undefined || table === undefined || op === undefined || as === undefined) return undefined;
  if (op !== 'insert' && Object.keys(key).length === 0) return undefined;
  if (op === 'update' && Object.keys(values).length === 0) return undefined;
  const all = relation.columns.map(({ name }) => name);
  return {
    schema,
    table,
    as,
    operation: op,
    key: op === 'insert' ? {} : key,
    values: op === 'insert' || op === 'update' ? values : {},
    // Requests all columns of the row, as a client's select() does.
    returned: op === 'select' || back === true ? all : [],
  };
}

function Report({ question }: { question: Question }) {
  const { data, error } = useQuery(reportQuery(question));
  if (error !== null) return <ProblemBox error={error} />;
  return data === undefined ? <SkeletonLines lines={8} /> : <ReportView report={data} question={question} />;
}

/** The form changes the URL only when it is submitted, because opening the URL runs the statement. */
function QuestionForm({ relation, search }: { relation: Relation | undefined; search: WhySearch }) {
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data: tables = [] } = useQuery(tablesQuery);
  const [op, setOp] = useState<Operation>(search.op ?? 'select');
  const [key, setKey] = useState<Cells>(search.key ?? keyOf(relation));
  const [values, setValues] = useState<Cells>(search.values ?? {});
  const [back, setBack] = useState(search.back === true);
  const columns = relation?.columns.map(({ name }) => name) ?? [];
  const chosen = search.table === undefined ? '' : JSON.stringify([search.schema, search.table]);
  return (
    <form
      className={classes.form}
      aria-label={t('why.form')}
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({
          search: ({ request: _taken, back: _back, ...previous }) => ({
            ...previous,
            op,
            key,
            values,
            ...(back ? { back: true as const } : {}),
          }),
        });
      }}
    >
      <NativeSelect
        size="sm"
        label={t('why.table')}
        value={chosen}
        data={[
          { value: '', label: t('why.pick') },
          ...[...tables]
            .sort((left, right) => Number(right.schema === 'public') - Number(left.schema === 'public'))
            .map(({ schema, name }) => ({
              value: JSON.stringify([schema, name]),
              label: schema === 'public' ? name : `${schema}.${name}`,
            })),
        ]}
        onChange={(event) => {
          const [schema, table] = JSON.parse(event.currentTarget.value || '[]') as string[];
          void navigate({
            search: ({ as }) => ({
              ...(as === undefined ? {} : { as }),
              ...(schema === undefined || table === undefined ? {} : { schema, table }),
            }),
          });
        }}
      />
      {relation === undefined ? null : (
        <>
          <NativeSelect
            size="sm"
            label={t('why.operation')}
            value={op}
            data={operations
              .filter((each) => mayWrite || each === 'select')
              .map((value) => ({ value, label: t(`why.op.${value}`) }))}
            onChange={(event) => setOp(event.currentTarget.value as Operation)}
          />
          {mayWrite ? null : <p className={classes.dim}>{t('why.reads-only')}</p>}
          {op === 'insert' ? null : (
            <Pairs title={t('why.key')} columns={columns} cells={key} onChange={setKey} />
          )}
          {op === 'insert' || op === 'update' ? (
            <Pairs title={t('why.values')} columns={columns} cells={values} onChange={setValues} />
          ) : null}
          {op === 'select' ? null : (
            <Checkbox
              size="xs"
              label={t('why.back')}
              checked={back}
              onChange={(event) => setBack(event.currentTarget.checked)}
            />
          )}
          <Button type="submit" size="sm">
            {t('why.ask')}
          </Button>
        </>
      )}
    </form>
  );
}

function keyOf(relation: Relation | undefined): Cells {
  const keys = relation?.columns.filter((column) => column.primary_key) ?? [];
  const [first] = relation?.columns ?? [];
  const names = keys.length > 0 ? keys : first === undefined ? [] : [first];
  return Object.fromEntries(names.map(({ name }) => [name, '']));
}

function FromRequest({ requestId }: { requestId: string | undefined }) {
  const navigate = route.useNavigate();
  const [id, setId] = useState(requestId ?? '');
  const [isUnfit, setUnfit] = useState<'why.request-unfit' | 'why.request-gone'>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: findRequest,
    onSuccess: (request) => {
      const question = request === undefined ? undefined : questionOf(request);
      setUnfit(
        request === undefined ? 'why.request-gone' : question === undefined ? 'why.request-unfit' : undefined,
      );
      if (question !== undefined) void navigate({ search: question });
    },
  });
  // The log links to this page with the request's id.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once per address
  useEffect(() => {
    if (requestId !== undefined) mutate(requestId);
  }, [requestId]);
  return (
    <form
      className={classes.form}
      aria-label={t('why.request')}
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== '') mutate(id.trim());
      }}
    >
      <TextInput
        size="sm"
        label={t('why.request')}
        placeholder={t('why.request-id')}
        autoComplete="off"
        spellCheck={false}
        error={isUnfit === undefined ? undefined : t(isUnfit)}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <Button type="submit" size="compact-sm" variant="default" loading={isPending}>
        {t('why.request-load')}
      </Button>
      {error === null ? null : <ProblemBox error={error} />}
    </form>
  );
}
