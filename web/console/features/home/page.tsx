/** The home page, which shows addresses, keys, health, first steps and connection snippets. */
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { homeQuery, tablesQuery } from '../../api/queries.ts';
import type { Home } from '../../api/types.ts';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { PageHead, ScrollPage } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t } from '../../text.ts';
import { Card } from './card.tsx';
import { OverviewTiles } from './overview.tsx';
import classes from './page.module.css';
import { Problems } from './problems.tsx';
import { snippets } from './snippets.ts';

export function HomePage() {
  const { data, error } = useQuery(homeQuery);
  return (
    <>
      <PageHead title={t('nav.home')} />
      <ScrollPage>
        <div className={classes.page}>
          {error === null ? null : <ProblemBox error={error} />}
          {data === undefined ? (
            error === null ? (
              <SkeletonLines lines={8} />
            ) : null
          ) : (
            <Overview home={data} />
          )}
        </div>
      </ScrollPage>
    </>
  );
}

function Overview({ home }: { home: Home }) {
  const { data: tables } = useQuery(tablesQuery);
  const own = tables?.filter(({ schema }) => schema === 'public');
  const faults = home.services.filter(({ fault }) => fault !== null).length;
  return (
    <>
      <Problems />
      <OverviewTiles />
      <PartialSchema skipped={home.skipped} />
      <DatabaseLimits limits={home.limits} />
      <Card title={t('home.project')}>
        <Facts layout="stacked" className={classes.facts}>
          <Fact label={t('home.url')}>
            <Copyable value={home.url} what={t('home.url')} />
          </Fact>
          <Fact label={t('home.publishable-key')}>
            <Copyable value={home.publishableKey} what={t('home.publishable-key')} />
          </Fact>
          <Fact label={t('home.anon-key')}>
            <Copyable value={home.anonKey} what={t('home.anon-key')} />
          </Fact>
          <Fact label={t('home.database')}>
            <span>
              {t(home.database.embedded ? 'home.database-embedded' : 'home.database-other', {
                version: home.database.version,
              })}
            </span>
          </Fact>
        </Facts>
      </Card>
      <Card
        title={t('home.services')}
        note={faults === 0 ? t('home.all-well') : t('home.faults', { count: faults })}
      >
        <ul className={classes.services}>
          {home.services.map(({ name, fault }) => (
            <li key={name} className={classes.service} data-fault={fault !== null || undefined}>
              {fault === null ? (
                <IconCircleCheckFilled size={16} aria-hidden />
              ) : (
                <IconAlertTriangleFilled size={16} aria-hidden />
              )}
              <span className={classes.serviceName}>{name}</span>
              <span className={fault === null ? 'visually-hidden' : classes.fault}>
                {fault ?? t('home.running')}
              </span>
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t('home.connect')} wide>
        <Connect home={home} table={own?.find(({ kind }) => kind === 'table')?.name ?? 'todos'} />
      </Card>
      <Card title={t('home.first-steps')} wide>
        <FirstSteps progress={home.progress} />
      </Card>
    </>
  );
}

/** Shown if statements were skipped because of `--keep-going`, until a reset applies all of them. */
function PartialSchema({ skipped }: { skipped: Home['skipped'] }) {
  if (skipped.length === 0) return null;
  return (
    <div className={classes.partial}>
      <Notice tone="warning" title={t('home.partial', { count: skipped.length })}>
        <ul>
          {skipped.map(({ file, line, message }) => (
            <li key={`${file}:${line} ${message}`}>
              <code>
                {file}:{line}
              </code>{' '}
              {message}
            </li>
          ))}
        </ul>
        <p>{t('home.partial-reset')}</p>
      </Notice>
    </div>
  );
}

/** Shown on external database servers on which not all features work. */
function DatabaseLimits({ limits }: { limits: Home['limits'] }) {
  if (limits.length === 0) return null;
  return (
    <div className={classes.partial}>
      <Notice tone="warning" title={t('home.limits', { count: limits.length })}>
        <ul>
          {limits.map(({ message, statements }) => (
            <li key={message}>
              {message}
              {statements.map((statement) => (
                <pre key={statement}>
                  <code>{statement}</code>
                </pre>
              ))}
            </li>
          ))}
        </ul>
        {limits.some(({ statements }) => statements.length > 0) ? <p>{t('home.limits-mend')}</p> : null}
      </Notice>
    </div>
  );
}

function FirstSteps({ progress }: { progress: Home['progress'] }) {
  return (
    <ol className={classes.steps}>
      <Step done={true} title={t('steps.start')} text={t('steps.start-text')} />
      <Step done={progress.table} title={t('steps.table')} text={t('steps.table-text')}>
        <Link to="/tables">{t('steps.table-see')}</Link>
      </Step>
      <Step done={progress.policy} title={t('steps.policy')} text={t('steps.policy-text')}>
        <Link to="/policies" search={{}}>
          {t('steps.policy-see')}
        </Link>
      </Step>
      <Step done={progress.user} title={t('steps.user')} text={t('steps.user-text')}>
        <Link to="/users" search={{}}>
          {t('steps.user-see')}
        </Link>
      </Step>
      <Step done={progress.message} title={t('steps.mail')} text={t('steps.mail-text')}>
        <Link to="/inbox" search={{}}>
          {t('steps.mail-see')}
        </Link>
      </Step>
      <Step done={progress.bucket} title={t('steps.bucket')} text={t('steps.bucket-text')}>
        <Link to="/storage" search={{}}>
          {t('steps.bucket-see')}
        </Link>
      </Step>
      <Step done={progress.function} title={t('steps.function')} text={t('steps.function-text')}>
        {progress.function ? (
          <Link to="/functions" search={{}}>
            {t('steps.function-see')}
          </Link>
        ) : (
          <code>{ownCommand('functions new hello')}</code>
        )}
      </Step>
    </ol>
  );
}

function Step({
  done,
  title,
  text,
  children,
}: {
  done: boolean;
  title: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <li className={classes.step} data-done={done || undefined}>
      {done ? <IconCircleCheckFilled size={18} aria-hidden /> : <IconCircleDashed size={18} aria-hidden />}
      <div>
        <p className={classes.stepTitle}>
          {title}
          {done ? <span className="visually-hidden"> {t('steps.done')}</span> : null}
        </p>
        <p className={classes.stepText}>{text}</p>
        {children}
      </div>
    </li>
  );
}

const Connect = ({ home, table }: { home: Home; table: string }) => (
  <CodeTabs
    examples={snippets(home, table)}
    label={t('home.connect')}
    what={(name) => t('home.snippet', { name })}
  />
);
