import { Button } from '@mantine/core';
import type { SettingFault } from './api.ts';
import type { SettingsForm } from './form.ts';
import classes from './page.module.css';
import { t } from './text.ts';

/** Shows the unsaved changes. If a changed setting is invalid, the button opens that setting instead of the review. */
export function SaveBar({
  form,
  count,
  faults,
  onDiscard,
  isInvalid,
  onReview,
}: {
  form: SettingsForm;
  count: number;
  faults: readonly SettingFault[];
  onDiscard: () => void;
  /** Whether one of the changed settings is invalid. In that case, the button opens the invalid setting. */
  isInvalid: boolean;
  onReview: () => void;
}) {
  const elsewhere = faults.filter(({ key }) => form.settingOf(key) === undefined);
  return (
    <div className={classes.bar}>
      <div className={classes.state} role="status">
        <span>{t('settings.unsaved', { count })}</span>
        {faults.length === 0 ? null : (
          <span className={classes.faults}>{t('settings.faults', { count: faults.length })}</span>
        )}
        {elsewhere.map(({ key, message }) => (
          <span key={key + message} className={classes.faults}>
            <code>{key}</code> {message}
          </span>
        ))}
      </div>
      <Button size="compact-sm" variant="default" onClick={onDiscard}>
        {t('settings.discard')}
      </Button>
      <Button size="compact-sm" onClick={onReview}>
        {t(isInvalid ? 'settings.show-error' : 'settings.review')}
      </Button>
    </div>
  );
}
