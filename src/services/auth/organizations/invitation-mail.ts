/** The email with which a user invites a person, who may not have an account yet, to an organization. */
import type { UserCaller } from '../common/caller.ts';
import { toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { runHook } from '../hooks/run.ts';
import { requireAuthorized, wrapFailure } from '../messages/sending.ts';
import { deliver } from '../messages/templates.ts';
import { timeInWords } from '../security-events/notify.ts';

export interface Invitation {
  readonly id: string;
  readonly email: string;
  /** The organization's name, which users choose. */
  readonly organization: string;
  /** The URL of the page on which the recipient accepts the invitation. */
  readonly url: string;
  readonly expiresAt: string;
}

/** Sends the email. Throws `over_email_send_rate_limit` and `email_address_not_authorized`. */
export async function sendInvitation(
  ctx: AuthContext,
  self: UserCaller,
  { email, organization, url, expiresAt }: Invitation,
): Promise<void> {
  requireAuthorized(ctx, email);
  await ctx.limits.invitationEmail(ctx.clock.now());
  const name = safeName(organization);
  const inviter = self.user.email_confirmed_at === null ? '' : safeAddress(self.user.email ?? '');
  await wrapFailure('Error sending the invitation', async () => {
    if (ctx.settings.hooks.send_email.enabled) {
      const email_data = {
        email_action_type: 'organization_invitation',
        token: '',
        token_hash: '',
        redirect_to: url,
        site_url: ctx.settings.externalUrl(),
        organization: name,
        inviter,
      };
      // The recipient may not have an account, so the hook receives only the address.
      await runHook(ctx, self, { name: 'send_email', input: { user: { email }, email_data } });
      return;
    }
    const data = {
      SiteURL: ctx.settings.siteUrl,
      Email: email,
      Organization: name,
      Inviter: inviter,
      ConfirmationURL: url,
      Due: timeInWords(toMs(expiresAt), self.pageLanguage),
      Data: {},
    };
    await deliver(ctx, 'organization_invitation', { to: email, data, pageLanguage: self.pageLanguage });
  });
}

/**
 * Returns the name, or an empty string if email programs would display a link or a phone number in it. Otherwise, users
 * could send links to their own websites, or their own numbers, in the name of the project.
 */
export const safeName = (name: string): string =>
  /:\/\/|@|[\p{L}\p{N}-]\.[\p{L}]{2,}|\p{N}(?:[^\p{L}]{0,3}\p{N}){6,}/u.test(name) ? '' : name;

/** Returns the inviter's address, or an empty string if its first part looks like the address of a website. */
const safeAddress = (email: string): string => (/^www\.|[/\\:]/i.test(email) ? '' : email);
