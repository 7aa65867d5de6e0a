/** Lists the problems of the whole project. Each problem links to the page where it can be examined or fixed. */
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconCircleXFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { problemsQuery } from '../../api/queries.ts';
import type { Payload } from '../../api/route.ts';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t } from '../../text.ts';
import { Card } from './card.tsx';
import classes from './problems.module.css';

type Problem = Payload<'GET /home/problems'>['problems'][number];

export function Problems() {
  const { data, error } = useQuery(problemsQuery);
  return (
    <Card title={t('problems.title')} wide {...(data === undefined ? {} : { note: noteOf(data) })}>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={2} />
        ) : null
      ) : data.length === 0 ? (
        <p className={classes.none}>
          <IconCircleCheckFilled size={18} aria-hidden />
          {t('problems.none')}
        </p>
      ) : (
        <ul className={classes.list}>
          {data.map((problem) => (
            <li key={JSON.stringify(problem)} data-severity={problem.severity}>
              {problem.severity === 'error' ? (
                <IconCircleXFilled size={18} aria-hidden />
              ) : (
                <IconAlertTriangleFilled size={18} aria-hidden />
              )}
              <span className={classes.text}>
                <span className="visually-hidden">{t(`problems.${problem.severity}`)} </span>
                {textOf(problem)}
              </span>
              <Target problem={problem} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const noteOf = (problems: readonly Problem[]): string =>
  problems.length === 0 ? '' : t('problems.count', { count: problems.length });

function textOf(problem: Problem): string {
  switch (problem.kind) {
    case 'service':
      return t('problems.service', problem);
    case 'condition':
      return problem.message;
    case 'server-errors':
      return t('problems.server-errors', problem);
    case 'job':
      return t('problems.job', problem);
    case 'backup':
      return problem.message === null
        ? t('problems.backup-overdue')
        : t('problems.backup', { message: problem.message });
    case 'advisors':
      return t(problem.category === 'SECURITY' ? 'problems.security' : 'problems.performance', {
        count: problem.errors + problem.warnings,
      });
    case 'slow-statement':
      return t('problems.slow', { ms: Math.round(problem.meanMs), calls: problem.calls });
    case 'slower-statement':
      return t('problems.slower', {
        ms: Math.round(problem.meanMs),
        beforeMs: Math.round(problem.beforeMs ?? 0),
        calls: problem.calls,
      });
    case 'new-statement':
      return t('problems.new-statement', { ms: Math.round(problem.meanMs), calls: problem.calls });
    case 'node':
      return t('problems.node', problem);
    case 'node-missing':
      return t(problem.isGone ? 'problems.node-gone' : 'problems.node-silent', problem);
    case 'sign-in-attack':
      return t('problems.attack', problem);
    case 'unchecked':
      return t(`problems.unchecked-${problem.source}`);
    case 'provider':
      return t(
        problem.missing.length > 1
          ? 'problems.provider-both'
          : `problems.provider-${problem.missing[0] ?? 'secret'}`,
        problem,
      );
    case 'invalid-settings':
      return t('problems.invalid-settings', problem);
    case 'restart':
      return t('problems.restart', { count: problem.settings.length, settings: problem.settings.join(', ') });
  }
}

function Target({ problem }: { problem: Problem }) {
  const to = targetOf(problem);
  return to === undefined ? null : (
    <Link {...to.link} className={classes.link}>
      {t(to.label)}
    </Link>
  );
}

type Label =
  | 'problems.see-logs'
  | 'problems.see-jobs'
  | 'problems.see-backups'
  | 'problems.see-advisors'
  | 'problems.see-statement'
  | 'problems.see-provider'
  | 'problems.see-settings'
  | 'problems.see-node';

function targetOf(problem: Problem): { readonly label: Label; readonly link: LinkProps } | undefined {
  switch (problem.kind) {
    case 'service':
    case 'condition':
      return { label: 'problems.see-logs', link: { to: '/logs', search: { level: 'warn' } } };
    case 'server-errors':
      return {
        label: 'problems.see-logs',
        link: { to: '/logs', search: { service: problem.service, status: '5', minutes: '60' } },
      };
    case 'job':
      return { label: 'problems.see-jobs', link: { to: '/jobs/cron', search: { id: problem.job } } };
    case 'backup':
      return { label: 'problems.see-backups', link: { to: '/backups' } };
    case 'advisors':
      return {
        label: 'problems.see-advisors',
        link: {
          to: '/advisors',
          search: { type: problem.category === 'SECURITY' ? 'security' : 'performance' },
        },
      };
    case 'slow-statement':
      return {
        label: 'problems.see-statement',
        link: { to: '/queries/statements', search: { order: 'mean', id: problem.id, as: problem.role } },
      };
    case 'slower-statement':
    case 'new-statement':
      return {
        label: 'problems.see-statement',
        link: { to: '/queries/history', search: { range: '24h', id: problem.id, as: problem.role } },
      };
    case 'node':
    case 'node-missing':
      return { label: 'problems.see-node', link: { to: '/nodes', search: {} } };
    case 'sign-in-attack':
      return {
        label: 'problems.see-logs',
        link: { to: '/logs', search: { service: 'auth', status: '4', minutes: '60' } },
      };
    case 'unchecked':
      return { label: 'problems.see-logs', link: { to: '/logs', search: { level: 'warn' } } };
    case 'provider':
      return {
        label: 'problems.see-provider',
        link: {
          to: '/settings',
          search: {
            section: 'providers',
            setting: `auth.external.${problem.provider}.${problem.missing[0] ?? 'secret'}`,
          },
        },
      };
    case 'invalid-settings':
    case 'restart':
      return { label: 'problems.see-settings', link: { to: '/settings', search: {} } };
  }
}
