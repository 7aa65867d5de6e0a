/** Lists the latest requests to a function, with their results and durations. */
import { useQuery } from '@tanstack/react-query';
import { hasSeveralNodes } from '../../components/asked-nodes.tsx';
import list from '../../components/list.module.css';
import { millis } from '../../components/millis.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { type Invocation, invocationsQuery } from './api.ts';
import classes from './invocations.module.css';
import { t } from './text.ts';

const toneOf = (status: number): TagTone =>
  status >= 500 ? 'danger' : status >= 400 ? 'warning' : status >= 300 ? 'info' : 'success';
const msText = (ms: number): string => t('calls.ms', { ms: millis(ms) });

export function Invocations({ slug, onRequest }: { slug: string; onRequest: (requestId: string) => void }) {
  const { data, error } = useQuery(invocationsQuery(slug));
  return (
    <div className={classes.calls}>
      <h3 className={classes.title}>{t('calls.title')}</h3>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? null : data.invocations.length === 0 ? (
        <p className={classes.none}>{t('calls.none')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <section className={classes.scroll} tabIndex={0} aria-label={t('calls.title')}>
          <table className={list.table}>
            <caption className="visually-hidden">{t('calls.title')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('calls.time')}</th>
                <th scope="col">{t('calls.status')}</th>
                {hasSeveralNodes(data.nodes) ? (
                  <th scope="col" className={list.wide}>
                    {t('calls.node')}
                  </th>
                ) : null}
                <th scope="col">{t('calls.what')}</th>
                <th scope="col" className={classes.number}>
                  {t('calls.took')}
                </th>
                <th scope="col" className={`${list.wide} ${classes.number}`} title={t('calls.shared')}>
                  {t('calls.cpu')}
                </th>
                <th scope="col" className={`${list.wide} ${classes.number}`} title={t('calls.shared')}>
                  {t('calls.memory')}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.invocations.map((call) => (
                <Row
                  key={`${call.node ?? ''} ${call.id}`}
                  call={call}
                  hasNodes={hasSeveralNodes(data.nodes)}
                  onRequest={onRequest}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}

function Row({
  call,
  hasNodes,
  onRequest,
}: {
  call: Invocation;
  hasNodes: boolean;
  onRequest: (requestId: string) => void;
}) {
  const { at, status, code, method, path, requestId, durationMs, bootMs, cpuMs, memoryBytes } = call;
  const moment = new Date(at);
  return (
    <tr>
      <td className={`${list.dim} ${list.short}`}>
        <time dateTime={moment.toISOString()} title={moment.toISOString()}>
          {moment.toLocaleTimeString([], { hour12: false })}
        </time>
      </td>
      <td>
        {status === null ? (
          <Tag tone="plain">
            <span title={t('calls.gone-title')}>{t('calls.gone')}</span>
          </Tag>
        ) : (
          <Tag tone={toneOf(status)}>{status}</Tag>
        )}
      </td>
      {hasNodes ? <td className={`${list.wide} ${list.dim}`}>{call.node}</td> : null}
      <td>
        <button
          type="button"
          className={classes.what}
          title={t('output.only')}
          onClick={() => onRequest(requestId)}
        >
          {method} {path}
        </button>
        {code === undefined ? null : <span className={classes.note}> {code}</span>}
        {bootMs === undefined ? null : (
          <span className={classes.note}> {t('calls.boot', { ms: Math.round(bootMs) })}</span>
        )}
      </td>
      <td className={classes.number}>{msText(durationMs)}</td>
      <td className={`${list.wide} ${classes.number}`}>{cpuMs === undefined ? '' : msText(cpuMs)}</td>
      <td className={`${list.wide} ${classes.number}`}>
        {memoryBytes === undefined ? '' : t('calls.mib', { mib: Math.round(memoryBytes / 1048576) })}
      </td>
    </tr>
  );
}
