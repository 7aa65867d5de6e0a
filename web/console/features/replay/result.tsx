import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../../ui/notice.tsx';
import { DiffBlock } from '../../components/diff-block.tsx';
import { Card } from '../../components/frame/card.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { millis } from '../../components/millis.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import form from '../operators/form.module.css';
import { type LoggedRequest, type ReplayRequest, type ReplayResult, replay } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

/** Headers that describe the connection or the time, and not the result. */
const unimportant =
  /^(content-length|date|vary|server|connection|keep-alive|x-request-id|access-control-.*)$/;

export function Result({
  input,
  run,
  logged,
}: {
  input: ReplayRequest;
  /** The number of the run, because the same request can be run again. */
  run: number;
  logged: LoggedRequest | undefined;
}) {
  // The request runs once for each press of the button, also if the page is shown again.
  const { data, error } = useQuery({
    queryKey: ['replay-run', run, input],
    queryFn: () => replay(input),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Card
      title={t('replay.result')}
      text={
        data === undefined
          ? undefined
          : t(data.access === 'read only' ? 'replay.result-read' : 'replay.result-text', {
              name: data.name,
              role: data.role,
            })
      }
    >
      <div role="status" className={classes.result}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={4} />
          ) : null
        ) : (
          <Answer data={data} logged={logged} />
        )}
      </div>
    </Card>
  );
}

function Answer({ data, logged }: { data: ReplayResult; logged: LoggedRequest | undefined }) {
  const then = logged?.status ?? undefined;
  const headers = data.headers.filter(([name]) => !unimportant.test(name));
  return (
    <>
      {data.isTimedOut ? (
        <Notice tone="warning">
          <p>{t('replay.timed-out')}</p>
        </Notice>
      ) : null}
      {then === undefined ? null : (
        <p>
          {then === data.status
            ? t('replay.same')
            : t('replay.changed', { before: String(then), after: String(data.status) })}
        </p>
      )}
      <table className={classes.table}>
        <caption className="visually-hidden">{t('replay.result')}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{t('replay.fact')}</span>
            </th>
            {logged === undefined ? null : <th scope="col">{t('replay.then')}</th>}
            <th scope="col">{t('replay.now')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t('replay.status')}</th>
            {logged === undefined ? null : (
              <td>{then === undefined ? t('replay.unknown') : <Status status={then} />}</td>
            )}
            <td>
              <Status status={data.status} />
            </td>
          </tr>
          <tr>
            <th scope="row">{t('replay.duration')}</th>
            {logged === undefined ? null : (
              <td>
                {logged.durationMs === null
                  ? t('replay.unknown')
                  : t('replay.ms', { ms: millis(logged.durationMs) })}
              </td>
            )}
            <td>{t('replay.ms', { ms: millis(data.durationMs) })}</td>
          </tr>
          <tr>
            <th scope="row">{t('replay.rows')}</th>
            {logged === undefined ? null : <td className={form.text}>{t('replay.unknown')}</td>}
            <td>{data.rows ?? t('replay.none')}</td>
          </tr>
        </tbody>
      </table>
      {data.diff === null ? null : data.diff.every(({ kind }) => kind === 'same' || kind === 'gap') ? (
        <p>{t('replay.diff-none')}</p>
      ) : (
        <div className={classes.result}>
          <h3 className={classes.heading}>{t('replay.diff')}</h3>
          <DiffBlock lines={data.diff} label={t('replay.diff')} />
        </div>
      )}
      {data.body === '' ? (
        <p className={form.text}>{t('replay.empty')}</p>
      ) : (
        <div className={classes.result}>
          <h3 className={classes.heading}>{t('replay.response')}</h3>
          <CodeBlock text={data.body} what={t('replay.response')} />
          {data.isCut ? <p className={form.text}>{t('replay.cut')}</p> : null}
        </div>
      )}
      {headers.length === 0 ? null : (
        <details className={classes.more}>
          <summary>{t('replay.headers-now')}</summary>
          <CodeBlock
            text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
            what={t('replay.headers-now')}
          />
        </details>
      )}
    </>
  );
}

const toneOf = (status: number): TagTone =>
  status >= 500 ? 'danger' : status >= 400 ? 'warning' : status >= 300 ? 'info' : 'success';

const Status = ({ status }: { status: number }) => <Tag tone={toneOf(status)}>{status}</Tag>;
