import { IconCheck, IconCircle } from '@tabler/icons-react';
import { usePageConfig } from '../page-config.ts';
import { t } from '../text.ts';
import { checkPassword, type PasswordRule } from './fields.ts';
import classes from './password-rules.module.css';

function textOf(rule: PasswordRule, minLength: number): string {
  return rule === 'length' ? t('password.length', { count: minLength }) : t(`password.${rule}`);
}

/** Lists the project's password rules and marks the rules that the typed password meets. */
export function PasswordRules({ password, id }: { password: string; id: string }) {
  const { password: policy } = usePageConfig();
  return (
    <div id={id} className={classes.box}>
      <p>{t('password.rules')}</p>
      <ul className={classes.list} aria-live="polite" data-list="password-rules">
        {checkPassword(password, policy).map(({ rule, met }) => (
          // Screen readers announce the rule together with its new state.
          <li key={rule} className={classes.rule} data-met={met || undefined} aria-atomic>
            {met ? (
              <IconCheck size={16} stroke={2.25} aria-hidden />
            ) : (
              <IconCircle size={16} stroke={1.5} aria-hidden />
            )}
            {/*
             * The prerendered page contains one rule, and the server repeats it for each of the project's password
             * rules.
             */}
            <span>{import.meta.env.SSR ? '%PLINTH_RULE%' : textOf(rule, policy.minLength)}</span>
            <span className={classes.hidden}>{met ? t('password.met') : t('password.unmet')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
