/** Shows the files of a function as they are served. Operators with write access can edit the files. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useMay } from '../../api/session.ts';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './activity.module.css';
import { type FunctionFacts, fileQuery, filesQuery } from './api.ts';
import { type Draft, type Drafts, useDrafts } from './drafts.ts';
import { SaveBar } from './save-bar.tsx';
import { t } from './text.ts';

const CodeEditor = lazyPart(() => import('../../components/editor/code-editor.tsx'));
const route = getRouteApi('/app/functions');

export function CodeView({ facts: { slug, changedAt } }: { facts: FunctionFacts }) {
  const search = route.useSearch();
  const mayWrite = useMay('write');
  // A saved file changes the key of the query. Until the response arrives, the earlier files are shown.
  const { data, error } = useQuery({ ...filesQuery(slug, changedAt), placeholderData: keepPreviousData });
  const drafts = useDrafts();
  const editing = mayWrite ? (data?.editing ?? null) : null;
  const stored = data?.files ?? [];
  const added = [...drafts.all.keys()].filter((path) => !stored.some((file) => file.path === path));
  const paths = [...stored.map(({ path }) => path), ...added];
  const open =
    paths.find((path) => path === search.file) ?? stored.find(({ isEntrypoint }) => isEntrypoint)?.path;
  return (
    <section className={classes.box} aria-label={t('code.title')}>
      <h3 className={classes.title}>{t('code.title')}</h3>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? null : (
        <>
          <p className={classes.dim}>
            {t(editing === null ? (mayWrite ? 'code.fixed' : 'code.read-only') : `code.editing-${editing}`)}
          </p>
          <div className={classes.code}>
            <nav aria-label={t('code.files')}>
              <ul className={classes.files}>
                {paths.map((path) => (
                  <li key={path}>
                    <Link
                      to="/functions"
                      search={{ ...search, file: path }}
                      resetScroll={false}
                      activeProps={{}}
                      aria-current={path === open ? 'true' : undefined}
                    >
                      {path}
                      {drafts.all.has(path) ? ` · ${t('code.unsaved')}` : null}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <div className={classes.file}>
              {open === undefined ? null : (
                <File
                  key={open}
                  slug={slug}
                  path={open}
                  changedAt={changedAt}
                  isStored={!added.includes(open)}
                  isEditable={editing !== null}
                  drafts={drafts}
                />
              )}
            </div>
          </div>
          {editing === null ? null : (
            <SaveBar slug={slug} editing={editing} drafts={drafts} paths={paths} changedAt={changedAt} />
          )}
        </>
      )}
    </section>
  );
}

interface FileProps {
  readonly slug: string;
  readonly path: string;
  readonly changedAt: number;
  /** Whether the file exists on the server. */
  readonly isStored: boolean;
  readonly isEditable: boolean;
  readonly drafts: Drafts;
}

function File(props: FileProps) {
  const { slug, path, changedAt, isStored, drafts } = props;
  const { data, error } = useQuery({
    ...fileQuery(slug, path, changedAt),
    enabled: isStored,
    placeholderData: keepPreviousData,
  });
  const draft = drafts.all.get(path);
  if (draft !== undefined && props.isEditable) return <Editor {...props} stored={draft} text={draft.text} />;
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={6} />;
  if (!data.isText) return <p className={classes.dim}>{t('code.binary')}</p>;
  const { text, revision, isCut } = data;
  if (props.isEditable && revision !== null)
    return <Editor {...props} stored={{ text, original: text, revision }} text={text} />;
  return (
    <div>
      <CodeBlock text={text} what={path} />
      {isCut ? <p className={classes.dim}>{t('code.cut')}</p> : null}
      {props.isEditable && !isCut ? <p className={classes.dim}>{t('code.masked')}</p> : null}
    </div>
  );
}

function Editor({ path, drafts, stored, text }: FileProps & { stored: Draft; text: string }) {
  return (
    <div className={classes.editor}>
      <Suspense fallback={<SkeletonLines lines={12} />}>
        <CodeEditor
          value={text}
          path={path}
          readOnly={false}
          cursor={drafts.cursor?.path === path ? drafts.cursor : undefined}
          onChange={(next) => drafts.change(path, { ...stored, text: next })}
          onSave={drafts.requestSave}
        />
      </Suspense>
    </div>
  );
}
