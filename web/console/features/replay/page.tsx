/**
 * Runs a logged request again as any user, in a transaction that is rolled back, compares the responses, and makes a
 * test of the request.
 */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type LoggedRequest, loggedQuery, optionsQuery, type ReplayRequest } from './api.ts';
import { ReplayForm } from './form.tsx';
import classes from './page.module.css';
import { Result } from './result.tsx';
import { TestCard } from './test-card.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/replay');

export function ReplayPage() {
  const { request } = route.useSearch();
  return (
    <>
      <PageHead title={t('replay.title')} />
      <Cards>
        {request === undefined ? <Replay logged={undefined} /> : <FromLog key={request} id={request} />}
      </Cards>
    </>
  );
}

function FromLog({ id }: { id: string }) {
  const { data, error } = useQuery(loggedQuery(id));
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={10} />;
  if (data.unsupported === null) return <Replay logged={data} />;
  return (
    <Card title={`${data.method} ${data.path}`}>
      <Notice tone="info" title={t('replay.unsupported')}>
        <p>{t(`replay.unsupported.${data.unsupported}`)}</p>
        <p>
          <Link to="/replay" className={classes.link}>
            {t('replay.another')}
          </Link>
        </p>
      </Notice>
    </Card>
  );
}

function Replay({ logged }: { logged: LoggedRequest | undefined }) {
  const { data: options, error } = useQuery(optionsQuery);
  const [ran, setRan] = useState<{ readonly input: ReplayRequest; readonly number: number }>();
  if (error !== null) return <ProblemBox error={error} />;
  if (options === undefined) return <SkeletonLines lines={10} />;
  return (
    <>
      <ReplayForm
        logged={logged}
        effects={options.effects}
        onRun={(input) => setRan({ input, number: (ran?.number ?? 0) + 1 })}
      />
      {ran === undefined ? null : (
        <>
          <Result key={ran.number} run={ran.number} input={ran.input} logged={logged} />
          <TestCard
            key={`test ${ran.number}`}
            input={ran.input}
            logged={logged}
            writes={options.writesTests}
          />
        </>
      )}
    </>
  );
}
