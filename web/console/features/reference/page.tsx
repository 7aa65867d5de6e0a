/** How an app uses each table of the live schema, with requests that can be tried in anybody's name. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconApi, IconDownload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { homeQuery, relationQuery, tablesQuery } from '../../api/queries.ts';
import { callConsole, useMay } from '../../api/session.ts';
import { Card, Cards } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import list from '../../components/list.module.css';
import { PageHead } from '../../components/page.tsx';
import { PersonaPicker, usePersonaName } from '../../components/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { Tag } from '../../components/tag.tsx';
import form from '../operators/form.module.css';
import { readSnippets } from './snippets.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/reference');

export function ReferencePage() {
  const { table, as } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(tablesQuery);
  const { data: home } = useQuery(homeQuery);
  const names = (data ?? []).filter(({ schema }) => schema === 'public').map(({ name }) => name);
  const shown = table !== undefined && names.includes(table) ? table : names[0];
  return (
    <>
      <PageHead title={t('reference.title')}>
        {shown === undefined ? null : (
          <NativeSelect
            size="xs"
            aria-label={t('reference.table')}
            value={shown}
            data={names}
            onChange={(event) => {
              const next = event.currentTarget.value;
              void navigate({ search: (former) => ({ ...former, table: next }) });
            }}
          />
        )}
        <Button
          component="a"
          href="/console/api/reference/types"
          download
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          {t('reference.types')}
        </Button>
      </PageHead>
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : shown === undefined ? (
          <EmptyState
            icon={<IconApi size={22} stroke={1.75} />}
            title={t('reference.none-title')}
            text={t('reference.none-text')}
          />
        ) : (
          <>
            <Columns table={shown} />
            <Card title={t('reference.snippets')}>
              <div className={form.form}>
                {readSnippets(shown, home?.url ?? '', home?.publishableKey ?? '').map(({ label, text }) => (
                  <CodeBlock key={label} text={text} what={label} />
                ))}
              </div>
            </Card>
            {mayWrite ? (
              <Try
                key={shown}
                table={shown}
                as={as}
                onAs={(next) =>
                  void navigate({
                    search: ({ as: _former, ...rest }) => (next === undefined ? rest : { ...rest, as: next }),
                    replace: true,
                  })
                }
              />
            ) : null}
          </>
        )}
      </Cards>
    </>
  );
}

function Columns({ table }: { table: string }) {
  const { data, error } = useQuery(relationQuery({ schema: 'public', table }));
  return (
    <Card title={t('reference.columns')} flush>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <table className={list.table}>
          <caption className="visually-hidden">{t('reference.columns')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('reference.column')}</th>
              <th scope="col">{t('reference.type')}</th>
              <th scope="col">{t('reference.notes')}</th>
            </tr>
          </thead>
          <tbody>
            {data.columns.map((column) => (
              <tr key={column.name}>
                <td>
                  <code>{column.name}</code>
                </td>
                <td className={list.dim}>{column.type}</td>
                <td>
                  {column.primary_key ? <Tag tone="info">{t('reference.key')}</Tag> : null}{' '}
                  {!column.nullable && column.default === null && column.identity === null ? (
                    <Tag>{t('reference.required')}</Tag>
                  ) : null}{' '}
                  {column.references === null ? null : (
                    <Tag>{t('reference.to', { table: column.references.table })}</Tag>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Try({
  table,
  as,
  onAs,
}: {
  table: string;
  as: string | undefined;
  onAs: (as: string | undefined) => void;
}) {
  const [path, setPath] = useState(`${encodeURIComponent(table)}?select=*&limit=10`);
  const name = usePersonaName(as);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      callConsole<{ status: number; body: string }>('/reference/try', {
        method: 'POST',
        body: { method: 'GET', path, ...(as === undefined ? {} : { as }) },
      }),
  });
  return (
    <Card
      title={t('reference.try')}
      text={t('reference.try-text', { name })}
      tools={<PersonaPicker as={as} onChange={onAs} />}
    >
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate();
        }}
      >
        <TextInput
          size="sm"
          label={`${t('reference.request')}: GET /rest/v1/`}
          value={path}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <div className={form.buttons}>
          <Button type="submit" size="sm" loading={isPending}>
            {t('reference.run')}
          </Button>
        </div>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? null : (
          <div role="status">
            <Tag tone={data.status < 400 ? 'success' : 'warning'}>{data.status}</Tag>
            <CodeBlock text={data.body} what={t('reference.answer')} />
          </div>
        )}
      </form>
    </Card>
  );
}
