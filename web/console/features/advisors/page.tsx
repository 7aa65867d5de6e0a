/** The Advisors page, which lists security and performance problems of the database, grouped by rule. */
import { Button } from '@mantine/core';
import { IconRefresh, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import tabStyles from '../../components/frame/tabs.module.css';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './advisors.module.css';
import { advisorsQuery, type Finding, type FindingType, findingTypes } from './api.ts';
import { Detail } from './detail.tsx';
import { FindingPanel } from './finding-panel.tsx';
import { toneOf } from './level.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/advisors');
const tabTypes = [undefined, ...findingTypes];

const isOfType =
  (type: FindingType | undefined) =>
  ({ categories: [category] }: Finding): boolean =>
    type === undefined || category.toLowerCase() === type;

/** Counts the findings. The home page also counts suggestions separately, because they aren't problems. */
function countsOf(findings: readonly Finding[]): { readonly count: number; readonly suggestions: number } {
  const suggestions = findings.filter(({ level }) => level === 'INFO').length;
  return { count: findings.length - suggestions, suggestions };
}

export function AdvisorsPage() {
  const { type, open } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isFetching, refetch } = useQuery(advisorsQuery);
  const shown = data?.filter(isOfType(type));
  return (
    <>
      <PageHead title={t('nav.advisors')}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={15} aria-hidden />}
          loading={isFetching}
          onClick={() => void refetch()}
        >
          {t('advisors.check')}
        </Button>
      </PageHead>
      <nav className={tabStyles.tabs} aria-label={t('advisors.type')}>
        {tabTypes.map((each) => (
          <Link
            key={each ?? 'all'}
            to="/advisors"
            search={each === undefined ? {} : { type: each }}
            className={tabStyles.tab}
            activeOptions={{ exact: true }}
            aria-current={each === type ? 'page' : undefined}
          >
            {data === undefined
              ? t(`advisors.type-${each ?? 'all'}`)
              : t(`advisors.${each ?? 'all'}`, countsOf(data.filter(isOfType(each))))}
          </Link>
        ))}
      </nav>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {shown === undefined ? (
          error === null ? (
            <SkeletonLines lines={10} />
          ) : null
        ) : shown.length === 0 ? (
          <EmptyState
            icon={<IconShieldCheck size={22} stroke={1.75} />}
            title={t('advisors.none-title')}
            text={t('advisors.none-text')}
          />
        ) : (
          <div className={classes.rules}>
            {[...Map.groupBy(shown, ({ name }) => name)].map(([name, findings]) => (
              <Rule
                key={name}
                findings={findings}
                onOpen={(key) => void navigate({ search: (previous) => ({ ...previous, open: key }) })}
              />
            ))}
          </div>
        )}
      </div>
      {open === undefined || data === undefined ? null : (
        <FindingPanel
          key={open}
          finding={data.find(({ cache_key }) => cache_key === open)}
          onClose={() => void navigate({ search: ({ open: _open, ...rest }) => rest })}
        />
      )}
    </>
  );
}

/** The number of a rule's findings that are listed at first. A rule can apply to hundreds of policies. */
const firstShown = 5;

function Rule({ findings, onOpen }: { findings: readonly Finding[]; onOpen: (key: string) => void }) {
  const [isWhole, setWhole] = useState(false);
  const id = useId();
  const [first] = findings;
  if (first === undefined) return null;
  return (
    <section className={classes.rule} aria-labelledby={id}>
      <div className={classes.ruleHead}>
        <h2 id={id}>{first.title}</h2>
        <Tag tone={toneOf(first.level)}>{t(`advisors.level-${first.level}`)}</Tag>
      </div>
      <p className={classes.why}>{first.description}</p>
      <ul className={classes.findings}>
        {findings.slice(0, isWhole ? undefined : firstShown).map(({ cache_key, detail }) => (
          <li key={cache_key}>
            <button type="button" className={classes.finding} onClick={() => onOpen(cache_key)}>
              <Detail text={detail} />
            </button>
          </li>
        ))}
      </ul>
      {isWhole || findings.length <= firstShown ? null : (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          {t('advisors.more', { count: findings.length })}
        </Button>
      )}
    </section>
  );
}
