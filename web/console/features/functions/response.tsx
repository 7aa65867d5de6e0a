import { Copyable } from '../../../ui/copyable.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { Tag } from '../../components/tag.tsx';
import type { FunctionResponse } from './api.ts';
import classes from './invoke-form.module.css';
import { t } from './text.ts';

/** Shows a function's response as text or as an image, because neither can run scripts. */
export function ResponseView({ answer: response }: { answer: FunctionResponse }) {
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
