/** Sends a request to a function as a persona and shows the response. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { PersonaPicker } from '../../components/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { functionsQuery, invocationsQuery } from './api.ts';
import { parseHeaders } from './headers.ts';
import classes from './invoke-form.module.css';
import { ResponseView } from './response.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/functions');
const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const;
type Method = (typeof methods)[number];

export function InvokeForm({ slug }: { slug: string }) {
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [method, setMethod] = useState<Method>('POST');
  const [path, setPath] = useState('');
  const [headers, setHeaders] = useState('content-type: application/json');
  const [body, setBody] = useState('{}');
  const [badLine, setBadLine] = useState<number>();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (list: readonly (readonly [string, string])[]) =>
      fetchConsole('POST /functions/:slug/invoke', {
        params: { slug },
        body: { method, path, headers: list, body, ...(as === undefined ? {} : { as }) },
      }),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: functionsQuery.queryKey });
      void queryClient.invalidateQueries({ queryKey: invocationsQuery(slug).queryKey });
    },
  });
  const hasBody = method !== 'GET' && method !== 'HEAD';

  function send(): void {
    if (isPending) return;
    const parsed = parseHeaders(headers);
    setBadLine('badLine' in parsed ? parsed.badLine : undefined);
    if ('headers' in parsed) mutate(parsed.headers);
  }

  return (
    <div className={classes.columns}>
      <form
        className={classes.form}
        aria-label={t('invoke.title')}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      >
        <div className={classes.head}>
          <h3 className={classes.title}>{t('invoke.title')}</h3>
          <PersonaPicker
            as={as}
            onChange={(next) =>
              void navigate({
                search: ({ as: _previous, ...rest }) => (next === undefined ? rest : { ...rest, as: next }),
                replace: true,
              })
            }
          />
        </div>
        {as === undefined ? <p className={classes.note}>{t('invoke.as-operator')}</p> : null}
        <div className={classes.line}>
          <NativeSelect
            size="xs"
            label={t('invoke.method')}
            value={method}
            onChange={(event) => setMethod(event.currentTarget.value as Method)}
            data={[...methods]}
          />
          <TextInput
            className={classes.path}
            size="xs"
            label={t('invoke.path')}
            placeholder="/items?limit=1"
            spellCheck={false}
            classNames={{ input: classes.code }}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
        </div>
        <Textarea
          size="xs"
          label={t('invoke.headers')}
          rows={3}
          spellCheck={false}
          classNames={{ input: classes.code }}
          error={badLine === undefined ? undefined : t('invoke.headers-bad', { line: badLine })}
          value={headers}
          onChange={(event) => setHeaders(event.currentTarget.value)}
        />
        <Textarea
          size="xs"
          label={t('invoke.body')}
          rows={6}
          spellCheck={false}
          disabled={!hasBody}
          classNames={{ input: classes.code }}
          value={body}
          onChange={(event) => setBody(event.currentTarget.value)}
        />
        <div className={classes.send}>
          <Button
            type="submit"
            size="compact-sm"
            loading={isPending}
            leftSection={<IconSend size={15} aria-hidden />}
          >
            {t('invoke.send')}
          </Button>
          <span className={classes.note}>{t('invoke.send-key')}</span>
        </div>
      </form>
      <section className={classes.answer} aria-label={t('invoke.answer')}>
        <div className={classes.head}>
          <h3 className={classes.title}>{t('invoke.answer')}</h3>
        </div>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <p className={classes.note}>{t('invoke.none')}</p>
          ) : null
        ) : (
          <ResponseView answer={data} />
        )}
      </section>
    </div>
  );
}
