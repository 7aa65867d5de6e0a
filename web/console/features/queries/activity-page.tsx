/** Lists running statements and open transactions, and the locks or events that they are waiting for. */
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type ActivityRow, activityQuery } from './api.ts';
import { durationText } from './parts.tsx';
import classes from './queries.module.css';
import { SessionPanel } from './session-panel.tsx';
import { StateTag } from './state-tag.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/queries/activity');

export function ActivityPage() {
  const { pid } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(activityQuery);
  const sessions = data?.sessions;
  return (
    <>
      {data?.isRedacted ? (
        <div className={classes.bar}>
          <span className={classes.note}>{t('queries.redacted')}</span>
        </div>
      ) : null}
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {sessions === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : sessions.length === 0 ? (
          <EmptyState
            icon={<IconActivity size={22} stroke={1.75} />}
            title={t('activity.none-title')}
            text={t('activity.none-text')}
          />
        ) : (
          <SessionTable
            sessions={sessions}
            openPid={pid}
            onOpen={(opened) => void navigate({ search: { pid: opened.pid } })}
          />
        )}
      </div>
      {pid === undefined || sessions === undefined ? null : (
        <SessionPanel
          pid={pid}
          session={sessions.find((session) => session.pid === pid)}
          onClose={() => void navigate({ search: {} })}
        />
      )}
    </>
  );
}

function SessionTable({
  sessions,
  openPid,
  onOpen,
}: {
  sessions: readonly ActivityRow[];
  openPid: number | undefined;
  onOpen: (session: ActivityRow) => void;
}) {
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('queries.activity')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('queries.statement')}</th>
          <th scope="col" className={classes.state}>
            {t('activity.state')}
          </th>
          <th scope="col" className={classes.numeric}>
            {t('activity.duration')}
          </th>
          <th scope="col" className={`${classes.numeric} ${list.wide}`}>
            {t('activity.transaction')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.waits}`}>
            {t('activity.waits-for')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => {
          const blocked = sessions.filter(({ blockedBy }) => blockedBy.includes(session.pid)).length;
          return (
            <tr key={`${session.pid} ${session.began}`} data-open={session.pid === openPid || undefined}>
              <td>
                <button
                  type="button"
                  className={classes.what}
                  title={session.text}
                  onClick={() => onOpen(session)}
                >
                  <code>{session.outline}</code>
                </button>
                <span className={classes.who}>
                  {session.role} · {t('activity.pid')} {session.pid}
                </span>
              </td>
              <td>
                <StateTag session={session} />
              </td>
              <td className={classes.numeric}>
                {session.statementMs === null ? '–' : durationText(Math.max(0, session.statementMs))}
              </td>
              <td className={`${classes.numeric} ${list.wide} ${list.dim}`}>
                {session.transactionMs === null ? '–' : durationText(Math.max(0, session.transactionMs))}
              </td>
              <td className={`${list.wide} ${list.dim}`}>
                {session.blockedBy.length > 0
                  ? t('activity.blocked', { pids: session.blockedBy.join(', ') })
                  : blocked > 0
                    ? t('activity.blocks', { count: blocked })
                    : (session.waitsFor ?? '–')}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
