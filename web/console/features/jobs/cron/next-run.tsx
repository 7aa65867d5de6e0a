/** Shows a job's next run in local time. */
import { Moment } from '../../../components/moment.tsx';
import type { CronJob } from '../api.ts';
import { nextRun, parseSchedule } from '../schedule.ts';
import { t } from '../text.ts';

export function NextRun({ job, zone }: { job: Pick<CronJob, 'schedule' | 'active'>; zone: string }) {
  if (!job.active) return t('cron.paused');
  const schedule = parseSchedule(job.schedule);
  if (schedule?.kind === 'seconds') return t('cron.next-running');
  if (schedule?.kind === 'start') return t('cron.at-start');
  const next = schedule === undefined ? undefined : nextRun(schedule, zone, new Date());
  return next === undefined ? t('cron.no-next') : <Moment at={next.toISOString()} />;
}
