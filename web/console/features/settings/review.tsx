/** Shows the differences in the files before the changes are written. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { DiffBlock } from '../../components/diff-block.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t as common } from '../../text.ts';
import form from '../operators/form.module.css';
import {
  type Applied,
  type Change,
  mailsQuery,
  type Settings,
  settingsQuery,
  type TemplateEdit,
} from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function Review({
  changes,
  templates,
  stamps,
  savedIn,
  onClose,
  onWritten,
}: {
  changes: readonly Change[];
  templates: readonly TemplateEdit[];
  stamps: Settings['stamps'];
  savedIn: Settings['savedIn'];
  onClose: () => void;
  onWritten: (result: Applied) => void;
}) {
  const queryClient = useQueryClient();
  const body = { changes, templates, stamps };
  const { data, error } = useQuery({
    queryKey: ['settings-preview', body],
    queryFn: () => fetchConsole('POST /settings/preview', { body }),
    gcTime: 0,
    retry: false,
  });
  const write = useMutation({
    mutationFn: () => fetchConsole('POST /settings', { body }),
    onSuccess: async (result) => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: mailsQuery.queryKey }),
      ]);
      onWritten(result);
    },
  });
  const problem = error ?? write.error;
  return (
    <Dialog onClose={onClose} size="xl" title={t('settings.review-title')}>
      <div className={form.form}>
        {problem === null ? null : <ProblemBox error={problem} />}
        {data === undefined && error === null ? <SkeletonLines lines={6} /> : null}
        {data?.diffs.map(({ file, lines }) => (
          <section key={file}>
            <h3 className={classes.file}>{file}</h3>
            <DiffBlock lines={lines} label={t('settings.diff', { file })} />
          </section>
        ))}
        {data !== undefined && data.warnings.length > 0 ? (
          <Notice tone="warning">
            {data.warnings.map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </Notice>
        ) : null}
        <p className={form.text}>{t(`settings.when-${savedIn}`)}</p>
        <div className={form.buttons}>
          <Button variant="default" size="sm" onClick={onClose}>
            {common('confirm.cancel')}
          </Button>
          <Button
            size="sm"
            // With the `disabled` attribute, the button couldn't receive focus when the dialog opens.
            data-disabled={data === undefined || undefined}
            aria-disabled={data === undefined || undefined}
            loading={write.isPending}
            data-autofocus
            onClick={() => {
              if (data !== undefined) write.mutate();
            }}
          >
            {t(`settings.write-${savedIn}`)}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
