/** Shows the progress of indexes that are being built on a table. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { TableName } from '../../../api/queries.ts';
import { buildsQuery, type IndexBuild, structureQuery } from './api.ts';
import classes from './index-builds.module.css';
import { t } from './text.ts';

/**
 * Returns the builds. When a build starts or ends, the table's structure is fetched again. With `isExpected`, a build is
 * about to start.
 */
export function useIndexBuilds(name: TableName, { isExpected = false } = {}): readonly IndexBuild[] {
  const queryClient = useQueryClient();
  const { data: builds = [] } = useQuery(buildsQuery(name, { isExpected }));
  const { queryKey } = structureQuery(name);
  const pids = builds.map(({ pid }) => pid).join();
  const former = useRef(pids);
  useEffect(() => {
    if (former.current !== pids) void queryClient.invalidateQueries({ queryKey });
    former.current = pids;
  });
  return builds;
}

export function IndexBuilds({ builds }: { builds: readonly IndexBuild[] }) {
  if (builds.length === 0) return null;
  return (
    <ul className={classes.builds} aria-label={t('schema.builds')}>
      {builds.map((build) => (
        <Build key={build.pid} build={build} />
      ))}
    </ul>
  );
}

function Build({ build: { pid, name, phase, share, elapsedMs, statement } }: { build: IndexBuild }) {
  const title = name ?? t('schema.unnamed-index');
  const percent = share === null ? undefined : Math.floor(share * 100);
  return (
    <li className={classes.build}>
      <div className={classes.line}>
        <span className={classes.name}>{t('schema.building', { name: title })}</span>
        <span className={classes.state}>
          {percent === undefined ? phase : t('schema.build-share', { phase, percent })}
        </span>
      </div>
      <progress
        className={classes.bar}
        aria-label={t('schema.building', { name: title })}
        max={100}
        {...(percent === undefined ? {} : { value: percent })}
      />
      <code className={classes.statement}>{statement}</code>
      <p className={classes.state}>
        {t('schema.build-time', { seconds: Math.floor(elapsedMs / 1000), pid })}
      </p>
    </li>
  );
}
