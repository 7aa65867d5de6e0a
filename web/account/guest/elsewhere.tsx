import { useLocation } from 'wouter';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { signOut } from '../account-api.ts';
import { useFlow } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { SubtleButton } from '../parts.tsx';
import { t } from '../text.ts';
import { setGuestAside } from './api.ts';
import classes from './guest.module.css';
import { towardsUpgrade } from './search.ts';

/**
 * Redirects guests who already have an account to the sign-in page. If the project supports moving guest data, the data
 * is moved to the account.
 */
export function Elsewhere({ onLeave }: { onLeave: (isLeaving: boolean) => void }) {
  const [, navigate] = useLocation();
  const { handOver } = usePageConfig();
  const { search } = useFlow();
  const go = useSubmit(async () => {
    onLeave(true);
    try {
      await (handOver ? setGuestAside() : signOut('local'));
    } catch (error) {
      onLeave(false);
      throw error;
    }
    navigate(`/sign-in${handOver ? towardsUpgrade(search) : search}`);
    return undefined;
  });
  return (
    <section className={classes.elsewhere} aria-labelledby="elsewhere">
      <h2 id="elsewhere">{t('upgrade.have')}</h2>
      <p>{handOver ? t('upgrade.with-hook') : t('upgrade.without-hook')}</p>
      <ErrorSummary problems={go.problems} />
      <SubtleButton disabled={go.busy} onClick={() => go.run(undefined)}>
        {handOver ? t('upgrade.elsewhere') : t('upgrade.leave')}
      </SubtleButton>
    </section>
  );
}
