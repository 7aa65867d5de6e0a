import list from '../../components/list.module.css';
import { Tag } from '../../components/tag.tsx';
import type { LogEntry } from './api.ts';
import classes from './page.module.css';
import { ClockTime, msText, StatusTag } from './parts.tsx';
import { t } from './text.ts';

export function LogTable({
  entries,
  hasNodes,
  openId,
  onOpen,
}: {
  entries: readonly LogEntry[];
  hasNodes: boolean;
  openId: string | undefined;
  onOpen: (entry: LogEntry) => void;
}) {
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('logs.title')}</caption>
      <thead>
        <tr>
          <th scope="col" className={classes.time}>
            {t('logs.time')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.service}`}>
            {t('logs.service')}
          </th>
          {hasNodes ? (
            <th scope="col" className={`${list.wide} ${classes.node}`}>
              {t('logs.node')}
            </th>
          ) : null}
          <th scope="col" className={classes.status}>
            {t('logs.status')}
          </th>
          <th scope="col">{t('logs.what')}</th>
          <th scope="col" className={`${list.wide} ${classes.took}`}>
            {t('logs.took')}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, index) => {
          const { at, kind, service, status, durationMs, level, requestId, method, path, operator, role } =
            entry;
          return (
            <tr
              // biome-ignore lint/suspicious/noArrayIndexKey: positions are counted from the end, where no entries are added
              key={`${at} ${requestId ?? ''} ${kind} ${entries.length - index}`}
              data-open={(openId !== undefined && requestId === openId) || undefined}
              data-level={level}
            >
              <td className={`${list.dim} ${classes.clock}`}>
                <ClockTime at={at} />
              </td>
              <td className={`${list.wide} ${list.dim}`}>{service}</td>
              {hasNodes ? (
                <td className={`${list.wide} ${list.dim}`} title={entry.node}>
                  {entry.node}
                </td>
              ) : null}
              <td>
                {status === undefined ? (
                  <Tag tone={level === 'error' ? 'danger' : level === 'warn' ? 'warning' : 'plain'}>
                    {level}
                  </Tag>
                ) : (
                  <StatusTag status={status} />
                )}
              </td>
              <td>
                <button type="button" className={classes.what} onClick={() => onOpen(entry)}>
                  {kind === 'request' ? (
                    <>
                      <span className={classes.method}>{method}</span> {path}
                    </>
                  ) : (
                    entry.message.split('\n', 1)[0]
                  )}
                  {(operator ?? role) ? <span className={classes.who}> · {operator ?? role}</span> : null}
                </button>
                {kind === 'line' ? <FurtherLines message={entry.message} /> : null}
              </td>
              <td className={`${list.wide} ${list.dim} ${classes.number}`}>
                {durationMs === undefined ? '' : msText(durationMs)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/**
 * The lines of a message after the first, such as a stack trace. These lines are shown when the operator expands the
 * message.
 */
function FurtherLines({ message }: { message: string }) {
  const lines = message.trimEnd().split('\n').slice(1);
  if (lines.length === 0) return null;
  return (
    <details>
      <summary className={`${classes.who} ${classes.more}`}>
        {t('logs.lines', { count: lines.length })}
      </summary>
      <pre className={classes.lines}>{lines.join('\n')}</pre>
    </details>
  );
}
