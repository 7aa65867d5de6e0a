/** Shows the files of a function as they are served. The files can't be edited. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './activity.module.css';
import { type FunctionFacts, fileQuery, filesQuery } from './api.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/functions');

export function CodeView({ facts: { slug, changedAt } }: { facts: FunctionFacts }) {
  const search = route.useSearch();
  const { data: files, error } = useQuery(filesQuery(slug, changedAt));
  const open =
    files?.find(({ path }) => path === search.file) ?? files?.find(({ isEntrypoint }) => isEntrypoint);
  return (
    <section className={classes.box} aria-label={t('code.title')}>
      <h3 className={classes.title}>{t('code.title')}</h3>
      {error === null ? null : <ProblemBox error={error} />}
      {files === undefined ? null : (
        <div className={classes.code}>
          <nav aria-label={t('code.files')}>
            <ul className={classes.files}>
              {files.map(({ path }) => (
                <li key={path}>
                  <Link
                    to="/functions"
                    search={{ ...search, file: path }}
                    resetScroll={false}
                    activeProps={{}}
                    aria-current={path === open?.path ? 'true' : undefined}
                  >
                    {path}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {open === undefined ? null : (
            <File key={open.path} slug={slug} path={open.path} changedAt={changedAt} />
          )}
        </div>
      )}
    </section>
  );
}

function File({ slug, path, changedAt }: { slug: string; path: string; changedAt: number }) {
  const { data, error } = useQuery(fileQuery(slug, path, changedAt));
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={6} />;
  if (!data.isText) return <p className={classes.dim}>{t('code.binary')}</p>;
  return (
    <div>
      <CodeBlock text={data.text} what={path} />
      {data.isCut ? <p className={classes.dim}>{t('code.cut')}</p> : null}
    </div>
  );
}
