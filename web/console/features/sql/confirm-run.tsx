/** Asks for confirmation before destructive statements are run. */
import { Confirm } from '../../components/confirm.tsx';
import classes from './page.module.css';
import { t } from './text.ts';
import type { RunState } from './use-run.ts';

export function ConfirmRun({
  confirmation,
  onClose,
}: {
  confirmation: NonNullable<RunState['confirmation']>;
  onClose: () => void;
}) {
  return (
    <Confirm
      title={t('sql.confirm-title')}
      action={t('sql.confirm-run')}
      isBusy={false}
      error={null}
      onConfirm={confirmation.again}
      onClose={onClose}
    >
      <ul className={classes.questions}>
        {confirmation.questions.map(({ danger, statement }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>
            {t(`sql.danger.${danger}`)}
            <code className={classes.statement}>{statement}</code>
          </li>
        ))}
      </ul>
    </Confirm>
  );
}
