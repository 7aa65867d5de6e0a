/** The list of scheduled jobs (pg_cron). */

import { IconClockPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { useIntent } from '../../../components/intent.ts';
import list from '../../../components/list.module.css';
import { Moment } from '../../../components/moment.tsx';
import { type CronJob, cronQuery } from '../api.ts';
import { Entries } from '../entries.tsx';
import classes from '../jobs.module.css';
import { OnSwitch } from '../on-switch.tsx';
import { RunTag } from '../outcome.tsx';
import { Enabled } from '../parts.tsx';
import { wordsOf } from '../schedule-words.ts';
import { t } from '../text.ts';
import { CronForm } from './form.tsx';
import { NextRun } from './next-run.tsx';
import { CronPanel } from './panel.tsx';

const route = getRouteApi('/app/jobs/cron');

export function CronPage() {
  return (
    <Enabled
      extension="pg_cron"
      stateOf={({ cron }) => cron}
      icon={<IconClockPlay size={22} stroke={1.75} />}
      title={t('cron.off-title')}
      text={t('cron.off-text')}
    >
      <Jobs />
    </Enabled>
  );
}

function Jobs() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  useIntent({ 'create-cron-job': () => setCreating(true) });
  const { data, error } = useQuery(cronQuery);
  const open = data?.jobs.find((job) => job.id === id);
  return (
    <>
      <Entries
        entries={data?.jobs}
        error={error}
        note={data === undefined ? '' : t('cron.zone', { zone: data.zone })}
        add={{ label: t('cron.new'), onClick: () => setCreating(true) }}
        none={{
          icon: <IconClockPlay size={22} stroke={1.75} />,
          title: t('cron.none-title'),
          text: t('cron.none-text'),
        }}
        missing={
          id === undefined || data === undefined || open !== undefined
            ? undefined
            : { title: t('cron.not-found', { id }), onBack: () => void navigate({ search: {} }) }
        }
      >
        {(all) => <JobTable jobs={all} zone={data?.zone ?? ''} openId={id} />}
      </Entries>
      {isCreating && data !== undefined ? (
        <CronForm
          zone={data.zone}
          onClose={() => setCreating(false)}
          onSaved={(made) => {
            setCreating(false);
            void navigate({ search: { id: made } });
          }}
        />
      ) : null}
      {open === undefined || data === undefined ? null : (
        <CronPanel
          job={open}
          zone={data.zone}
          canRunNow={data.canRunNow}
          onClose={() => void navigate({ search: {} })}
        />
      )}
    </>
  );
}

export const labelOf = ({ name, id }: Pick<CronJob, 'name' | 'id'>): string => name ?? `#${id}`;

function JobTable({
  jobs,
  zone,
  openId,
}: {
  jobs: readonly CronJob[];
  zone: string;
  openId: string | undefined;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('jobs.cron')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('cron.name')}</th>
          <th scope="col" className={list.wide}>
            {t('cron.schedule')}
          </th>
          <th scope="col" className={list.wide}>
            {t('cron.next')}
          </th>
          <th scope="col">{t('cron.last')}</th>
          <th scope="col">{t('cron.active')}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id} data-open={job.id === openId || undefined}>
            <td>
              <Link to="/jobs/cron" search={{ id: job.id }} className={list.main}>
                {labelOf(job)}
              </Link>
            </td>
            <td className={list.wide}>
              <span className={classes.two}>
                <span className={classes.clip} title={wordsOf(job.schedule)}>
                  {wordsOf(job.schedule) ?? job.schedule}
                </span>
                <code className={list.dim}>{job.schedule}</code>
              </span>
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              <NextRun job={job} zone={zone} />
            </td>
            <td>
              {job.last_run === null ? (
                <span className={list.dim}>{t('cron.never')}</span>
              ) : (
                <span className={classes.entryHead}>
                  <RunTag status={job.last_run.status} />
                  <span className={list.dim}>
                    {job.last_run.started_at === null ? null : (
                      <Moment at={job.last_run.started_at} relative />
                    )}
                  </span>
                </span>
              )}
            </td>
            <td>
              <OnSwitch
                label={t('cron.switch', { name: labelOf(job) })}
                isOn={job.active}
                onSwitch={(active) =>
                  fetchConsole('PATCH /jobs/cron/:id', { params: { id: job.id }, body: { active } })
                }
                queryKey={cronQuery.queryKey}
                isOffered={job.mine}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
