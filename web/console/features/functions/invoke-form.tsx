/** Sends a request to a function as a persona and shows the response. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { PersonaPicker } from '../../components/persona/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type FunctionResponse, functionsQuery, invocationsQuery } from './api.ts';
import { parseHeaders } from './headers.ts';
import classes from './invoke-form.module.css';
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

/** Shows a function's response as text or as an image, because neither can run scripts. */
function ResponseView({ answer: response }: { answer: FunctionResponse }) {
  const { status, headers, sizeBytes, isCut, headMs, totalMs, requestId } = response;
  return (
    <>
      <p className={classes.summary} role="status">
        <Tag tone={status < 300 ? 'success' : status < 500 ? 'warning' : 'danger'}>{status}</Tag>
        <span className={classes.note}>
          {t('invoke.time', { head: Math.round(headMs), total: Math.round(totalMs) })}
        </span>
        <span className={classes.note}>{t('invoke.size', { size: sizeBytes })}</span>
      </p>
      <Body answer={response} />
      {isCut ? <p className={classes.note}>{t('invoke.cut', { size: sizeBytes })}</p> : null}
      <details>
        <summary>{t('invoke.answer-headers', { count: headers.length })}</summary>
        <dl className={classes.headers}>
          {headers.map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header name can occur twice
            <Header key={index} name={name} value={value} />
          ))}
        </dl>
      </details>
      {requestId === null ? null : (
        <Facts layout="stacked">
          <Fact label={t('problem.request-id')}>
            <Copyable value={requestId} what={t('problem.request-id')} />
          </Fact>
        </Facts>
      )}
    </>
  );
}

function Header({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Body({ answer: { body, isText, headers } }: { answer: FunctionResponse }) {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const what = t('invoke.answer-body');
  if (body === '') return <p className={classes.note}>{t('invoke.empty')}</p>;
  if (isText) return <CodeBlock text={readable(body, type)} what={what} />;
  if (/^image\/(?:png|jpeg|gif|webp|avif)\b/.test(type))
    return (
      <img className={classes.picture} alt={what} src={`data:${type.split(';', 1)[0]};base64,${body}`} />
    );
  return <p className={classes.note}>{t('invoke.binary', { type })}</p>;
}

function readable(body: string, type: string): string {
  if (!/json/.test(type)) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
