/** The GraphQL page, with the GraphiQL editor. Requests are sent as the persona in the page's URL. */
import { Button } from '@mantine/core';
import { IconBrandGraphql } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { LazyPersonaPicker } from '../../components/persona/lazy-persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { graphqlQuery } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const Ide = lazyPart(() => import('./ide.tsx'));
const route = getRouteApi('/app/graphql');

export function GraphqlPage() {
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: status, error } = useQuery(graphqlQuery);
  return (
    <>
      <PageHead title={t('graphql.title')}>
        <LazyPersonaPicker
          as={as}
          onChange={(next) => void navigate({ search: next === undefined ? {} : { as: next } })}
        />
      </PageHead>
      {error === null ? null : <ProblemBox error={error} />}
      {status === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : status.version === null && !status.withoutExtension ? (
        <Off
          title={t('graphql.off-title')}
          text={t('graphql.off-text')}
          statement="create extension pg_graphql;"
        >
          <Button variant="default" size="compact-sm" renderRoot={(props) => <Link to="/sql" {...props} />}>
            {t('graphql.sql')}
          </Button>
        </Off>
      ) : !status.isExposed ? (
        <Off title={t('graphql.hidden-title')} text={t('graphql.hidden-text')}>
          <Button
            variant="default"
            size="compact-sm"
            renderRoot={(props) => <Link to="/settings" search={{ section: 'api' }} {...props} />}
          >
            {t('graphql.settings')}
          </Button>
        </Off>
      ) : (
        <Open as={as} schemas={status.schemas} />
      )}
    </>
  );
}

function Off({
  title,
  text,
  statement,
  children,
}: {
  title: string;
  text: string;
  statement?: string;
  children: ReactNode;
}) {
  return (
    <EmptyState icon={<IconBrandGraphql size={22} stroke={1.75} />} title={title} text={text}>
      {statement === undefined ? null : <CodeBlock text={statement} what={t('graphql.statement')} />}
      {children}
    </EmptyState>
  );
}

function Open({
  as,
  schemas,
}: {
  as: string | undefined;
  schemas: readonly { readonly name: string; readonly introspection: boolean }[];
}) {
  const mayWrite = useMay('write');
  const isHidden = !schemas.some(({ introspection }) => introspection);
  const schema = schemas[0]?.name ?? 'public';
  return (
    <div className={classes.page}>
      {isHidden ? (
        <div className={classes.note}>
          <p>{t('graphql.no-introspection')}</p>
          <CodeBlock
            text={`comment on schema ${schema} is '@graphql({"introspection": true})';`}
            what={t('graphql.statement')}
          />
        </div>
      ) : null}
      {mayWrite ? null : <p className={classes.note}>{t('graphql.read-only')}</p>}
      <Suspense fallback={<SkeletonLines lines={8} />}>
        {/* Another persona has another schema. */}
        <Ide key={`${isHidden} ${as ?? ''}`} as={as} hasSchema={!isHidden} />
      </Suspense>
    </div>
  );
}
