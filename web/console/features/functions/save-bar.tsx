/** Saves the edited files of a function, after a check of their syntax. */
import { Button, TextInput } from '@mantine/core';
import { IconFilePlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole } from '../../api/session.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Scope, useUnsaved } from '../../components/unsaved.tsx';
import classes from './activity.module.css';
import { type FunctionEditing, type FunctionsSearch, functionsQuery, type SyntaxFault } from './api.ts';
import type { Draft, Drafts } from './drafts.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/functions');
const pathPattern = /^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*){0,9}$/;

type Fault = SyntaxFault & { readonly path: string };
type Saved = { readonly faults: readonly Fault[] } | { readonly version: number | null };

const functionIn = (search: FunctionsSearch): string | undefined => search.name;

/** Another function starts without the drafts. The other files of the function keep them. */
const isOtherFunction: Scope = (current, next) =>
  current.pathname !== next.pathname || functionIn(current.search) !== functionIn(next.search);

interface Props {
  readonly slug: string;
  readonly editing: NonNullable<FunctionEditing>;
  readonly drafts: Drafts;
  /** The paths of all files, including new ones. */
  readonly paths: readonly string[];
  readonly changedAt: number;
}

export function SaveBar({ slug, editing, drafts, paths }: Props) {
  const queryClient = useQueryClient();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: (request: { files: ReadonlyMap<string, Draft>; isForced: boolean }) =>
      save(slug, request.files, request.isForced),
    onSuccess: async (saved, { files }) => {
      const first = 'faults' in saved ? saved.faults[0] : undefined;
      if (first !== undefined) {
        await navigate({ search: (previous) => ({ ...previous, file: first.path }), resetScroll: false });
        return drafts.show(first);
      }
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['function-files', slug] }),
        queryClient.invalidateQueries({ queryKey: ['function-file', slug] }),
        queryClient.invalidateQueries({ queryKey: functionsQuery.queryKey }),
      ]);
      drafts.discard([...files.keys()].filter((path) => drafts.all.get(path) === files.get(path)));
    },
  });
  const { question } = useUnsaved(drafts.all.size > 0 && !isPending, () => undefined, isOtherFunction);
  const submit = (isForced: boolean, files = drafts.all): void => {
    if (files.size > 0 && !isPending) mutate({ files, isForced });
  };
  drafts.onSave(() => submit(false));
  const faults = data !== undefined && 'faults' in data ? data.faults : [];
  const action = t(editing === 'folder' ? 'code.save' : 'code.deploy', { count: drafts.all.size });
  return (
    <>
      {faults.length === 0 ? null : (
        <div role="alert">
          <Notice tone="warning" title={t('code.faults', { count: faults.length })}>
            <ul className={classes.faults}>
              {faults.map((fault) => (
                <li key={fault.path}>
                  <code>{`${fault.path}:${fault.line}:${fault.column}`}</code> {fault.message}
                </li>
              ))}
            </ul>
            <div>
              <Button size="compact-sm" variant="default" onClick={() => submit(true)}>
                {t(editing === 'folder' ? 'code.save-anyway' : 'code.deploy-anyway')}
              </Button>
            </div>
          </Notice>
        </div>
      )}
      {error === null ? null : (
        <ProblemBox error={error}>
          {conflictIn(error) === undefined ? null : (
            <Conflict
              slug={slug}
              path={conflictIn(error) ?? ''}
              drafts={drafts}
              onDone={reset}
              onSave={submit}
            />
          )}
        </ProblemBox>
      )}
      <div className={classes.buttons}>
        <span role="status" className={classes.dim}>
          {data === undefined || 'faults' in data || drafts.all.size > 0
            ? ''
            : data.version === null
              ? t('code.saved')
              : t('code.deployed', { version: data.version })}
        </span>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconFilePlus size={15} aria-hidden />}
          onClick={() => setAdding(true)}
        >
          {t('code.new')}
        </Button>
        {drafts.all.size === 0 ? null : (
          <>
            <Button
              size="compact-sm"
              variant="default"
              disabled={isPending}
              onClick={() => {
                reset();
                drafts.discard([...drafts.all.keys()]);
              }}
            >
              {t('code.discard')}
            </Button>
            <Button size="compact-sm" loading={isPending} onClick={() => submit(false)}>
              {action}
            </Button>
          </>
        )}
      </div>
      {isAdding ? (
        <NewFile
          paths={paths}
          onClose={() => setAdding(false)}
          onAdd={(path) => {
            setAdding(false);
            drafts.change(path, { text: '', original: '', revision: null });
            void navigate({ search: (previous) => ({ ...previous, file: path }), resetScroll: false });
          }}
        />
      ) : null}
      {question}
    </>
  );
}

/** Saves the files. If one of them has a syntax error and `isForced` isn't set, returns the errors instead. */
async function save(slug: string, files: ReadonlyMap<string, Draft>, isForced: boolean): Promise<Saved> {
  const drafts = [...files].map(([path, { text, revision }]) => ({ path, text, revision }));
  if (!isForced) {
    const faults: Fault[] = [];
    for (const { path, text } of drafts) {
      const body = { path, text };
      const { fault } = await fetchConsole('POST /functions/:slug/check', { params: { slug }, body });
      if (fault !== null) faults.push({ ...fault, path });
    }
    if (faults.length > 0) return { faults };
  }
  return await fetchConsole('PUT /functions/:slug/files', { params: { slug }, body: { files: drafts } });
}

/** Returns the path of the file that has changed since it was opened. */
const conflictIn = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === 'conflict' ? String(error.body.path) : undefined;

/** Lets the operator choose between the stored file and the edited one. */
function Conflict({
  slug,
  path,
  drafts,
  onDone,
  onSave,
}: {
  slug: string;
  path: string;
  drafts: Drafts;
  onDone: () => void;
  onSave: (isForced: boolean, files: ReadonlyMap<string, Draft>) => void;
}) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const current = await fetchConsole('GET /functions/:slug/file', {
        params: { slug },
        query: { path },
      }).catch((failure: unknown) => {
        // A deleted file is created again.
        if (failure instanceof ApiError && failure.code === 'not_found') return undefined;
        throw failure;
      });
      const draft = drafts.all.get(path);
      if (draft === undefined) return drafts.all;
      const next = { ...draft, original: current?.text ?? '', revision: current?.revision ?? null };
      return new Map(drafts.all).set(path, next);
    },
    onSuccess: (files) => {
      const draft = files.get(path);
      if (draft !== undefined) drafts.change(path, draft);
      onSave(true, files);
    },
  });
  return (
    <div className={classes.buttons}>
      {error === null ? null : <ProblemBox error={error} />}
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          drafts.discard([path]);
          void queryClient.invalidateQueries({ queryKey: ['function-files', slug] });
          void queryClient.invalidateQueries({ queryKey: ['function-file', slug] });
          onDone();
        }}
      >
        {t('code.keep-theirs')}
      </Button>
      <Button size="compact-sm" variant="default" loading={isPending} onClick={() => mutate()}>
        {t('code.keep-yours')}
      </Button>
    </div>
  );
}

function NewFile({
  paths,
  onClose,
  onAdd,
}: {
  paths: readonly string[];
  onClose: () => void;
  onAdd: (path: string) => void;
}) {
  const [path, setPath] = useState('');
  const [isChecked, setChecked] = useState(false);
  const problem = !pathPattern.test(path)
    ? 'code.path-bad'
    : paths.includes(path)
      ? 'code.path-taken'
      : undefined;
  return (
    <FormDialog
      title={t('code.new')}
      action={t('code.add')}
      isBusy={false}
      error={null}
      onSubmit={() => {
        setChecked(true);
        if (problem === undefined) onAdd(path);
      }}
      onClose={onClose}
    >
      <TextInput
        label={t('code.path')}
        description={t('code.path-why')}
        required
        maxLength={300}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
        value={path}
        error={isChecked && problem !== undefined ? t(problem) : undefined}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
