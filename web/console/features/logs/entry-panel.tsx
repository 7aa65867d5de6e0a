/** Shows a log entry and a diagram of all entries that belong to the same request. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copyable } from '../../../ui/copyable.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock, JsonBlock } from '../../components/json-block.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type LogEntry, traceQuery } from './api.ts';
import classes from './entry-panel.module.css';
import { msText, StatusTag, titleOf } from './parts.tsx';
import { t } from './text.ts';
import { waterfallOf } from './waterfall.ts';

/** The services whose requests can be replayed, or for which the Replay page explains why not. */
const replayed = /^\/(rest|graphql|storage|auth|functions)\/v1(\/|$)/;

export function RequestPanel({ requestId, onClose }: { requestId: string; onClose: () => void }) {
  const { data, error } = useQuery(traceQuery(requestId));
  const main = data?.find(({ kind }) => kind === 'request') ?? data?.[0];
  return (
    <SidePanel title={main === undefined ? t('logs.entry') : titleOf(main)} onClose={onClose} wide>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : main === undefined ? (
        <p>{t('logs.trace-none')}</p>
      ) : (
        <div className={classes.details}>
          <EntryFacts entry={main} />
          {main.path === undefined || !replayed.test(main.path) ? null : (
            <p className={classes.links}>
              <Link to="/replay" search={{ request: requestId }} className={classes.why}>
                {t('logs.replay')}
              </Link>
              {main.path.startsWith('/rest/v1/') ? (
                <Link to="/why" search={{ request: requestId }} className={classes.why}>
                  {t('logs.why')}
                </Link>
              ) : null}
            </p>
          )}
          <Trace entries={data} />
          {data.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a trace is loaded once and never reordered
            <EntryDetails key={index} entry={entry} />
          ))}
        </div>
      )}
    </SidePanel>
  );
}

/** Shows an entry that doesn't belong to a request. */
export function LinePanel({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  return (
    <SidePanel title={t('logs.entry')} onClose={onClose} wide>
      <div className={classes.details}>
        <EntryFacts entry={entry} />
        <EntryDetails entry={entry} />
      </div>
    </SidePanel>
  );
}

function EntryFacts({ entry }: { entry: LogEntry }) {
  const {
    at,
    service,
    status,
    durationMs,
    databaseMs,
    query,
    role,
    userId,
    operator,
    ip,
    userAgent,
    requestId,
  } = entry;
  return (
    <Facts layout="columns" className={classes.facts}>
      <Fact label={t('logs.time')}>
        <Moment at={new Date(at).toISOString()} seconds />
      </Fact>
      <Fact label={t('logs.service')}>{service}</Fact>
      {entry.node === undefined ? null : <Fact label={t('logs.node')}>{entry.node}</Fact>}
      {status === undefined ? null : (
        <Fact label={t('logs.status')}>
          <StatusTag status={status} />
        </Fact>
      )}
      {durationMs === undefined ? null : <Fact label={t('logs.took')}>{msText(durationMs)}</Fact>}
      {databaseMs === undefined ? null : <Fact label={t('logs.database')}>{msText(databaseMs)}</Fact>}
      {query === undefined ? null : (
        <Fact label={t('logs.query')}>
          <code>{query}</code>
        </Fact>
      )}
      {operator === undefined ? null : <Fact label={t('logs.operator')}>{operator}</Fact>}
      {role === undefined ? null : (
        <Fact label={t('logs.role')}>
          <code>{role}</code>
        </Fact>
      )}
      {userId === undefined ? null : (
        <Fact label={t('logs.who')}>
          <Copyable value={userId} what={t('logs.who')} />
        </Fact>
      )}
      {requestId === undefined ? null : (
        <Fact label={t('logs.request')}>
          <Copyable value={requestId} what={t('logs.request')} />
        </Fact>
      )}
      {ip === undefined ? null : <Fact label={t('logs.ip')}>{ip}</Fact>}
      {userAgent === undefined ? null : <Fact label={t('logs.browser')}>{userAgent}</Fact>}
    </Facts>
  );
}

function Trace({ entries }: { entries: readonly LogEntry[] }) {
  const { totalMs, bars } = waterfallOf(entries);
  return (
    <section>
      <h3 className={classes.title}>{t('logs.trace')}</h3>
      <ol className={classes.bars}>
        {bars.map(({ id, kind, service, label, startMs, durationMs, isFault, depth }) => (
          <li key={id} className={classes.row} data-kind={kind}>
            <span
              className={classes.label}
              style={{ paddingInlineStart: `${depth * 0.75}rem` }}
              title={label}
            >
              <span className={classes.service}>{service}</span> {label}
            </span>
            <span className={classes.track} aria-hidden>
              <span
                className={classes.bar}
                data-kind={kind}
                data-fault={isFault || undefined}
                style={{
                  insetInlineStart: `${Math.min(99, (startMs / totalMs) * 100)}%`,
                  width: `${Math.max(0.6, (durationMs / totalMs) * 100)}%`,
                }}
              />
            </span>
            <span className={classes.took}>
              <span className="visually-hidden">
                {t('logs.bar', { what: service, start: startMs.toFixed(1), duration: durationMs.toFixed(2) })}
              </span>
              <span aria-hidden>{durationMs === 0 ? '' : msText(durationMs)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function EntryDetails({ entry }: { entry: LogEntry }) {
  const { kind, service, message, statements = [], fields } = entry;
  if (kind === 'request' && statements.length === 0 && fields === undefined) return null;
  return (
    <section className={classes.section}>
      <h3 className={classes.title}>
        {service} · {titleOf(entry)}
      </h3>
      {kind === 'line' ? <CodeBlock text={message} what={t('logs.message')} /> : null}
      {statements.map(({ text, durationMs, error }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items never change their order
        <div key={`${index}${text}`} className={classes.statement}>
          <p className={classes.note}>
            {t('logs.statement', { number: index + 1 })} · {msText(durationMs)}
            {error === undefined ? null : (
              <>
                {' · '}
                <code className={classes.fault}>{error}</code>
              </>
            )}
          </p>
          <CodeBlock text={text.trim()} what={t('logs.statement', { number: index + 1 })} />
        </div>
      ))}
      {fields === undefined ? null : <JsonBlock value={fields} what={t('logs.fields')} />}
    </section>
  );
}
