/**
 * Shows how an app uses each table and function in the exposed schemas, with requests that the operator can send as any
 * user.
 */

import { Button, NativeSelect } from '@mantine/core';
import { IconApi, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { homeQuery, relationQuery, tablesQuery } from '../../api/queries.ts';
import { consoleUrl } from '../../api/route.ts';
import { useMay } from '../../api/session.ts';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Exposed, type ExposedFunction, exposedQuery } from './api.ts';
import { Arguments, Columns } from './columns.tsx';
import { type Address, callOf, type Operation, operations, type Usage, usageOf } from './snippets.ts';
import { t } from './text.ts';
import { Try } from './try.tsx';

const route = getRouteApi('/app/reference');

interface Subject {
  readonly schema: string;
  readonly name: string;
  /** Set if the subject is a function. Undefined if the subject is a table or view. */
  readonly called?: ExposedFunction;
}

export function ReferencePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: tables, error } = useQuery(tablesQuery);
  const { data: exposed, error: fault } = useQuery(exposedQuery);
  const { data: home } = useQuery(homeQuery);
  const subjects = tables === undefined || exposed === undefined ? undefined : subjectsOf(tables, exposed);
  const shown = subjects?.find((each) => isSelected(each, search, exposed)) ?? subjects?.[0];
  const problem = error ?? fault;
  const address: Address = { url: home?.url ?? '', key: home?.publishableKey ?? '' };
  return (
    <>
      <PageHead title={t('reference.title')}>
        {subjects === undefined || shown === undefined ? null : (
          <NativeSelect
            size="xs"
            aria-label={t('reference.subject')}
            value={String(subjects.indexOf(shown))}
            data={groupsOf(subjects)}
            onChange={(event) => {
              const next = subjects[Number(event.currentTarget.value)];
              if (next === undefined) return;
              const { schema, name, called } = next;
              void navigate({
                search: ({ as, op }) => ({
                  ...(as === undefined ? {} : { as }),
                  ...(op === undefined ? {} : { op }),
                  ...(schema === exposed?.schemas[0] ? {} : { schema }),
                  ...(called === undefined ? { table: name } : { fn: name }),
                }),
              });
            }}
          />
        )}
        <Button
          component="a"
          href={consoleUrl('GET /reference/types')}
          download
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          {t('reference.types')}
        </Button>
      </PageHead>
      <Cards>
        {problem === null ? null : <ProblemBox error={problem} />}
        {subjects === undefined || exposed === undefined ? (
          problem === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : shown === undefined ? (
          <EmptyState
            icon={<IconApi size={22} stroke={1.75} />}
            title={t('reference.none-title')}
            text={t('reference.none-text')}
          />
        ) : shown.called === undefined ? (
          <OfTable
            key={`${shown.schema}.${shown.name}`}
            schema={shown.schema}
            table={shown.name}
            isFirst={shown.schema === exposed.schemas[0]}
            address={address}
          />
        ) : (
          <>
            <Arguments of={shown.called} />
            <Used
              usage={callOf(shown.called, schemaUnless(shown.schema === exposed.schemas[0], shown), address)}
            />
          </>
        )}
      </Cards>
    </>
  );
}

const schemaUnless = (isFirst: boolean, { schema }: Pick<Subject, 'schema'>): string | undefined =>
  isFirst ? undefined : schema;

function OfTable({
  schema,
  table,
  isFirst,
  address,
}: {
  schema: string;
  table: string;
  /** Whether this is the default schema, which the REST service uses if a request doesn't specify a schema. */
  isFirst: boolean;
  address: Address;
}) {
  const { op } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(relationQuery({ schema, table }));
  const operation = operations.find((each) => each === op) ?? 'select';
  return (
    <>
      <Columns schema={schema} table={table} />
      {data === undefined ? null : (
        <Used
          usage={usageOf(
            operation,
            { schema: schemaUnless(isFirst, { schema }), name: table },
            data.columns,
            address,
          )}
          tools={
            <NativeSelect
              size="xs"
              aria-label={t('reference.operation')}
              value={operation}
              data={operations.map((value) => ({ value, label: t(`reference.op.${value}`) }))}
              onChange={(event) => {
                const next = event.currentTarget.value as Operation;
                void navigate({ search: (previous) => ({ ...previous, op: next }), replace: true });
              }}
            />
          }
        />
      )}
    </>
  );
}

function Used({ usage: { request, snippets }, tools }: { usage: Usage; tools?: ReactNode }) {
  const { as, lang } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  return (
    <>
      <Card title={t('reference.snippets')} tools={tools}>
        <CodeTabs
          examples={snippets.map(({ label, text }) => ({ id: label, name: label, code: text }))}
          label={t('reference.snippets')}
          chosen={lang}
          onChoose={(next) =>
            void navigate({ search: (previous) => ({ ...previous, lang: next }), replace: true })
          }
        />
      </Card>
      {mayWrite ? (
        <Try
          key={`${request.method} ${request.schema} ${request.path}`}
          request={request}
          as={as}
          onAs={(next) =>
            void navigate({
              search: ({ as: _previous, ...rest }) => (next === undefined ? rest : { ...rest, as: next }),
              replace: true,
            })
          }
        />
      ) : null}
    </>
  );
}

/** Returns the tables and then the functions, in the order of the exposed schemas. */
function subjectsOf(
  tables: readonly { readonly schema: string; readonly name: string }[],
  { schemas, functions }: Exposed,
): Subject[] {
  return schemas.flatMap((schema) => [
    ...tables.filter((one) => one.schema === schema).map(({ name }) => ({ schema, name })),
    ...functions
      .filter((one) => one.schema === schema)
      .map((called) => ({ schema, name: called.name, called })),
  ]);
}

function isSelected(
  { schema, name, called }: Subject,
  requested: { readonly schema?: string; readonly table?: string; readonly fn?: string },
  exposed: Exposed | undefined,
): boolean {
  if (schema !== (requested.schema ?? exposed?.schemas[0])) return false;
  return called === undefined ? name === requested.table : name === requested.fn;
}

function groupsOf(subjects: readonly Subject[]) {
  const groups = new Map<string, { value: string; label: string }[]>();
  subjects.forEach(({ schema, name, called }, index) => {
    const group = t(called === undefined ? 'reference.tables' : 'reference.functions', { schema });
    groups.set(group, [...(groups.get(group) ?? []), { value: String(index), label: name }]);
  });
  return [...groups].map(([group, items]) => ({ group, items }));
}
