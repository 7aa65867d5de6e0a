/** Returns the text for an event in the timeline of the account. */
import { providerName } from '../provider-name.ts';
import { t } from '../text.ts';

export interface SecurityEvent {
  readonly id: string;
  readonly kind: string;
  readonly actor: 'user' | 'operator';
  readonly details: Readonly<Record<string, unknown>>;
  readonly user_agent: string | null;
  /** The approximate address of the client. */
  readonly network: string | null;
  readonly created_at: string;
}

export function eventText({ kind, details }: SecurityEvent): string {
  const detail = (name: string): string => (typeof details[name] === 'string' ? details[name] : '');
  switch (kind) {
    case 'sign_in':
      return signInText(detail('method'), detail('provider'));
    case 'password_changed':
      return details.first === true ? t('activity.password_set') : t('activity.password_changed');
    case 'email_changed': {
      const [from, to] = [detail('old_email'), detail('new_email')];
      if (from === '') return t('activity.email_added', { to });
      return to === '' ? t('activity.email_removed', { from }) : t('activity.email_changed', { from, to });
    }
    case 'phone_changed': {
      const [from, to] = [detail('old_phone'), detail('new_phone')].map((phone) => phone && `+${phone}`);
      if (!from) return t('activity.phone_added', { to });
      return to ? t('activity.phone_changed', { from, to }) : t('activity.phone_removed', { from });
    }
    case 'factor_added':
      return t('activity.factor_added');
    case 'factor_removed':
      return t('activity.factor_removed');
    case 'factor_removal_requested':
      return t('activity.factor_removal_requested');
    case 'factor_removal_canceled':
      return t('activity.factor_removal_canceled');
    case 'factors_reset':
      return t('activity.factors_reset');
    case 'recovery_code_used':
      return t('activity.recovery_code_used');
    case 'recovery_codes_created':
      return t('activity.recovery_codes_created');
    case 'passkey_added':
      return t('activity.passkey_added');
    case 'passkey_removed':
      return t('activity.passkey_removed');
    case 'identity_linked':
      return t('activity.identity_linked', { provider: providerName(detail('provider')) });
    case 'identity_unlinked':
      return t('activity.identity_unlinked', { provider: providerName(detail('provider')) });
    case 'app_connected':
      return t('activity.app_connected', { app: detail('name') || detail('client_id') });
    case 'app_disconnected':
      return t('activity.app_disconnected', { app: detail('name') || detail('client_id') });
    case 'sessions_ended':
      if (details.scope === 'others') return t('activity.sessions_ended-others');
      return details.scope === 'one' ? t('activity.sessions_ended-one') : t('activity.sessions_ended');
    case 'locked':
      return t('activity.locked');
    case 'unlocked':
      return t('activity.unlocked');
    case 'banned':
      return t('activity.banned');
    case 'unbanned':
      return t('activity.unbanned');
    default:
      return t('activity.secured');
  }
}

function signInText(method: string, provider: string): string {
  if (method === 'password') return t('activity.sign_in-password');
  if (method === 'invite') return t('activity.sign_in-invite');
  if (method === 'passkey') return t('activity.sign_in-passkey');
  if (method === 'anonymous') return t('activity.sign_in-anonymous');
  if (method.startsWith('sso') || provider.startsWith('sso:')) return t('activity.sign_in-sso');
  if (method === 'web3' || provider === 'web3') return t('activity.sign_in-wallet');
  if (provider !== '') return t('activity.sign_in-provider', { provider: providerName(provider) });
  return ['otp', 'magiclink', 'recovery'].includes(method) || method.startsWith('email')
    ? t('activity.sign_in-otp')
    : t('activity.sign_in');
}
