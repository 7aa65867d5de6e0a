/**
 * Explains access to rows. The operator selects a row, an operation and a persona, and the page shows the result with
 * its reasons. The URL contains all of the operator's choices.
 */
import { Button, TextInput } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { relationQuery } from '../../api/queries.ts';
import type { Relation } from '../../api/types.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { parsePersona } from '../../components/persona/persona.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { findRequest, type Question, reportQuery } from './api.ts';
import { EveryoneWithAccess } from './everyone.tsx';
import classes from './page.module.css';
import { PolicyPanel } from './policy-panel.tsx';
import { QuestionForm } from './question-form.tsx';
import { ReportView } from './report.tsx';
import { questionOf } from './request.ts';
import type { WhySearch } from './search.ts';
import { t } from './text.ts';
import { type Step, useNextField } from './use-next-field.ts';
import { Who } from './who.tsx';

const route = getRouteApi('/app/why');

export function WhyPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const { schema, table, request } = search;
  const as = search.as ?? (request === undefined ? lastPersona() : undefined);
  const setPersona = (next: string, replace = false): void => {
    void navigate({ replace, search: (previous) => ({ ...previous, as: next }) });
  };
  // The persona is added to the URL, so that a shared link shows the same result. A logged request has its own persona.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new address can lack the persona
  useEffect(() => {
    if (as === undefined) return;
    if (search.as === undefined) setPersona(as, true);
    rememberPersona(as);
  }, [as, search.as]);
  const { data: relation, error } = useQuery({
    ...relationQuery({ schema: schema ?? '', table: table ?? '' }),
    enabled: schema !== undefined,
  });
  const question =
    relation === undefined
      ? undefined
      : questionFrom({ ...search, ...(as === undefined ? {} : { as }) }, relation);
  const step = stepOf(as, search, question);
  const missing =
    as === undefined ? 'who' : search.op === 'insert' && search.columns !== undefined ? 'values' : 'empty';
  const { root, moveOn } = useNextField(step);
  return (
    <>
      <PageHead title={t('why.title')} />
      <div ref={root} className={classes.scroll}>
        <div className={classes.columns}>
          <div className={classes.side}>
            <Who
              as={as}
              step={step}
              onChange={(next) => {
                moveOn('who');
                setPersona(next);
              }}
            />
            <QuestionForm
              relation={relation}
              search={search}
              step={step}
              onTable={() => moveOn('table')}
              onAsk={(isSame) => {
                // Otherwise, asking the same question again would show the earlier result.
                if (isSame) void queryClient.invalidateQueries({ queryKey: ['why'] });
                if (step === 'who') moveOn('row');
              }}
            />
          </div>
          <div className={classes.main}>
            {error === null ? null : <ProblemBox error={error} />}
            {question === undefined ? (
              error === null ? (
                <EmptyState
                  icon={<IconHelpCircle size={22} stroke={1.75} />}
                  title={t(`why.${missing}-title`)}
                  text={t(`why.${missing}-text`)}
                />
              ) : null
            ) : (
              <>
                <Report question={question} />
                {relation?.kind === 'table' && question.operation !== 'insert' ? (
                  <EveryoneWithAccess
                    key={JSON.stringify([question.schema, question.table, question.key])}
                    question={question}
                  />
                ) : null}
              </>
            )}
          </div>
          <div className={classes.request}>
            <FromRequest requestId={search.request} />
          </div>
        </div>
      </div>
      {search.edited === undefined ? null : (
        <PolicyPanel
          key={`${search.edited} ${search.policy}`}
          table={search.edited}
          policy={search.policy}
          onClose={() =>
            void navigate({ search: ({ edited: _edited, policy: _policy, ...question }) => question })
          }
        />
      )}
    </>
  );
}

/** Returns the step for the first missing part of the question. A logged request contains all parts. */
function stepOf(as: string | undefined, search: WhySearch, question: Question | undefined): Step {
  if (question !== undefined || search.request !== undefined) return 'result';
  if (as === undefined) return 'who';
  return search.table === undefined ? 'table' : 'row';
}

/** Returns the question in the URL, or undefined if the question is incomplete. */
function questionFrom(search: WhySearch, relation: Relation): Question | undefined {
  const { schema, table, as, op, key = {}, columns: unknownColumns = [], back } = search;
  // Without the values that the request wrote, an insert would only fail.
  if (op === 'insert' && search.values === undefined && unknownColumns.length > 0) return undefined;
  const { values = {} } = search;
  if (schema === undefined || table === undefined || op === undefined || as === undefined) return undefined;
  if (op !== 'insert' && Object.keys(key).length === 0) return undefined;
  const all = relation.columns.map(({ name }) => name);
  return {
    schema,
    table,
    as,
    operation: op,
    key: op === 'insert' ? {} : key,
    values: op === 'insert' || op === 'update' ? values : {},
    unchanged:
      op === 'update' ? unknownColumns.filter((name) => !(name in values) && all.includes(name)) : [],
    // Requests all columns of the row, as `select()` in a client does.
    returned: op === 'select' || back === true ? all : [],
  };
}

function Report({ question }: { question: Question }) {
  const { data, error } = useQuery(reportQuery(question));
  if (error !== null) return <ProblemBox error={error} />;
  return data === undefined ? <SkeletonLines lines={8} /> : <ReportView report={data} question={question} />;
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
  // The log links to this page with the request's ID.
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
        size="xs"
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

const key = 'plinth-why-persona';

/** Returns the persona as text, or undefined if none has been selected. */
function lastPersona(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function rememberPersona(as: string): void {
  // Claims can contain personal data, so they aren't stored.
  if (parsePersona(as).kind === 'claims') return;
  try {
    localStorage.setItem(key, as);
  } catch {
    // Without browser storage, the operator must select a persona each time.
  }
}
