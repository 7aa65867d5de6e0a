/**
 * Interface text of the pages that respond to forms without JavaScript. These pages are prerendered and not part of a
 * bundle.
 */
export const messages = {
  'page.signed-in': 'You’re signed in',
  'page.leave-guest': 'Sign out of your guest account?',
  'page.refused': 'This form can’t be submitted',
  'page.failed': 'Something went wrong',
  'page.limited': 'Too many attempts',

  'page.confirm-invite': 'Join {name}',
  'page.confirm-number': 'Confirm your request',
  'page.confirm-canceled': 'This link is no longer valid',
  'page.confirmed': 'Confirmed',
  'page.confirm-recovery': 'Reset your password',
  'page.confirm-magiclink': 'Sign in to {name}',
  'page.confirm-email_change': 'Confirm your email address',

  'confirm.invite':
    'You’ve been invited to {name} as {email}. Accept the invitation to choose how you’ll sign in.',
  'confirm.invite-button': 'Join {name}',
  'confirm.recovery': 'Continue to choose a new password for {email}. This link works once.',
  'confirm.recovery-button': 'Continue',
  'confirm.magiclink': 'Sign in as {email}. This link works once.',
  'confirm.magiclink-button': 'Sign in',
  'confirm.email_change': 'Confirm {email} as the email address of your {name} account.',
  'confirm.email_change-button': 'Confirm email address',

  'confirm.number': 'Enter the number shown in the window where you requested this email.',
  'confirm.number-device':
    'Enter the number shown in the window where you requested this email: {browser} on {system}.',
  'confirm.number-button': 'Confirm',
  'confirm.number-warning':
    'If you didn’t request this email, close this page. Never enter a number that someone sends you.',
  'confirm.canceled':
    'The wrong number was entered too many times. In the window where you requested the email, enter the code from the email or send a new one.',
  'confirm.done': 'Go back to the browser where you started. The page there continues automatically.',
  'confirm.closed': 'If you closed that page, sign in on this device instead.',
  'confirm.sign-in': 'Sign in on this device',
  'confirm.number-link': 'This link is for {email} at {name}.',
  'unlocked.password': 'Choose a new password',
  'page.link-expired-invite': 'This invitation was already used or has expired',
  'link-expired.invite':
    'If you’ve already joined, sign in. Otherwise, get a code by email, or ask for another invitation.',
  'field.number': 'Number in the other window',
  'field.number-wrong': 'Incorrect number. Check the other window and try again.',

  'page.cancel-change': 'Cancel the email change?',
  'page.change-canceled': 'Change canceled',
  'page.email-changed': 'Email address changed',
  'cancel-change.text':
    'Someone asked to change your account’s email address. If it wasn’t you, cancel the change.',
  'cancel-change.to':
    'Someone asked to change your account’s email address to {email}. If it wasn’t you, cancel the change.',
  'cancel-change.button': 'Cancel the change',
  'change-canceled.text':
    'Your email address stays the same. If you didn’t ask for the change, choose a new password now. You’ll be signed out everywhere else.',
  'change-canceled.password': 'Choose a new password',
  'email-changed.text': 'Your account’s new email address is confirmed. You can close this window.',

  'page.remove-factors': 'Remove two‑step verification?',
  'page.remove-factors-done': 'Removal scheduled',
  'remove-factors.text':
    'If you confirm, two-step verification will be removed from the account {email} on {when}. After that, you’ll sign in without a second step.',
  'remove-factors.found':
    'If you can use your second step again before then, sign in with it to cancel the removal.',
  'remove-factors.button': 'Confirm removal',
  'remove-factors.not-me':
    'If you didn’t request this removal, close this page. Someone knows your password, so choose a new one.',
  'remove-factors-done.text':
    'Two-step verification will be removed on {when}. We’ll email you when it’s done. You can close this page.',
  'remove-factors-expired.text':
    'The link was replaced or has expired, or the request was canceled. To request the removal again, sign in and choose “I can’t use my second step”.',
  'page.not-me': 'Secure your account',
  'not-me.new_device': 'Your account was used to sign in on a new device on {when}.',
  'not-me.password_set': 'A password was set for your account on {when}.',
  'not-me.password_changed': 'Your password was changed on {when}.',
  'not-me.email_changed': 'Your email address was changed on {when}.',
  'not-me.phone_changed': 'Your phone number was changed on {when}.',
  'not-me.factor_added': 'A verification method was added to your account on {when}.',
  'not-me.factor_removed': 'A verification method was removed from your account on {when}.',
  'not-me.factor_removal_requested':
    'Removal of two-step verification was requested for your account on {when}.',
  'not-me.factors_reset': 'Two-step verification was removed from your account on {when}.',
  'not-me.recovery_code_used': 'A recovery code for your account was used on {when}.',
  'not-me.passkey_added': 'A passkey was added to your account on {when}.',
  'not-me.identity_linked': 'A sign-in method was added to your account on {when}.',
  'not-me.identity_unlinked': 'A sign-in method was removed from your account on {when}.',
  'not-me.app_connected': 'An app was connected to your account on {when}.',
  'not-me.api_key_created': 'An API key was created for your account on {when}.',
  'not-me.then': 'If you select “This wasn’t me”:',
  'not-me.new_device-undo': 'The new device will be signed out and no longer recognized.',
  'not-me.password_changed-undo': 'The current password will stop working.',
  'not-me.email_changed-undo': 'Your email address will be changed back to {email}.',
  'not-me.phone_changed-undo': 'The previous phone number will be restored.',
  'not-me.factor_added-undo': 'The new verification method will be removed.',
  'not-me.factor_removed-undo':
    'The removed verification method can’t be restored. Add a new one after you sign in again.',
  'not-me.factor_removal_requested-undo':
    'The removal will be canceled, and two-step verification will stay on.',
  'not-me.factors_reset-undo':
    'The removed verification methods can’t be restored. Add a new one after you sign in again.',
  'not-me.recovery_code_used-undo': 'The used recovery code will stay invalid. The others will still work.',
  'not-me.passkey_added-undo': 'The new passkey will be removed.',
  'not-me.identity_linked-undo': 'The new sign-in method will be removed.',
  'not-me.identity_unlinked-undo':
    'The removed sign-in method can’t be restored. Add it again after you sign in.',
  'not-me.app_connected-undo': 'The app will lose access to your account.',
  'not-me.api_key_created-undo': 'All API keys of your account will be revoked.',
  'not-me.later': 'These later changes will also be undone:',
  'not-me.sign-out':
    'You’ll be signed out on all devices and in all connected apps, and your password will stop working.',
  'not-me.back-in': 'To sign in again, enter a code that we’ll send to {email}, and choose a new password.',
  'not-me.device': 'Device: {browser} on {system}',
  'not-me.later-password_set': 'Password set, {when}',
  'not-me.later-password_changed': 'Password changed, {when}',
  'not-me.later-email_changed': 'Email address changed, {when}',
  'not-me.later-phone_changed': 'Phone number changed, {when}',
  'not-me.later-factor_added': 'Verification method added, {when}',
  'not-me.later-recovery_codes_created': 'Recovery codes created, {when}',
  'not-me.later-passkey_added': 'Passkey added, {when}',
  'not-me.later-identity_linked': 'Sign-in method added, {when}',
  'not-me.later-app_connected': 'App connected, {when}',
  'not-me.later-api_key_created': 'API key created, {when}',
  'not-me.later-device': ', {browser} on {system}',
  'page.not-me-secured': 'Your account is already secured',
  'not-me-secured.text':
    'You secured your account on {when}. The change in this email no longer applies, so you don’t need this link.',
  'not-me-secured.help':
    'If you still see something that you don’t recognize, choose a new password. You’ll be signed out everywhere else.',
  'not-me-expired.text':
    'The link in this security notice doesn’t work anymore. If you still see something that you don’t recognize, choose a new password. You’ll be signed out everywhere else.',
  'not-me.button': 'This wasn’t me',
  'not-me.was-me': 'If this was you, you can close this page. Nothing will change.',
  'page.unlock': 'Unlock sign-in',
  'unlock.text':
    'Sign-in to your account is paused after too many wrong passwords or codes. If that was you, unlock sign-in.',
  'unlock.button': 'Unlock sign-in',
  'not-me.was-me-not': 'If you didn’t try to sign in, close this page. Your account stays protected.',
  'page.unlocked': 'Sign-in is unlocked',
  'page.unlocked-before': 'Sign-in is already unlocked',
  'unlocked.text': 'You can sign in again. If you don’t remember your password, choose a new one now.',
  'unlocked.button': 'Sign in',
  'page.secured': 'Your account is secured',
  'secured.text':
    'The change was undone, and you were signed out everywhere. Choose a new password to sign in again.',
  'secured.button': 'Choose a new password',
  'secured.factor':
    'After you sign in, turn on two-step verification on your account page, if it’s available. It protects your account even if someone steals your password.',
  'secured.has-factor': 'Two-step verification stays on, so you’ll also need to complete your second step.',
  'secured.sso':
    'You were signed out everywhere. Sign in through your organization again, and tell its administrators what happened.',
  'secured.sso-button': 'Sign in with SSO',
  'secured.none':
    'You were signed out everywhere, and your password stopped working. Your previous email address now belongs to another account. To sign in again, contact support.',

  'field.code-empty': 'Enter your code.',

  'plain.sent':
    'We’ve emailed {email}. If you have an account, enter the code from the email or open its link. If not, the email explains what to do.',
  'plain.sent-confirm':
    'We’ve emailed a code to {email}. Enter it to confirm your address, or open the link in the email.',
  'page.accounts': 'Choose an account',
  'accounts.continue': 'Continue as {name}',
  'accounts.guest': 'Continue as a guest',
  'accounts.current': 'Signed in (most recently used)',
  'accounts.one-out':
    'You’re signed out of that account here. You may still be signed in to apps that use it.',
  'accounts.all-out': 'You’re signed out of all accounts. You may still be signed in to apps that use them.',
  'accounts.manage': 'Go to your account',
  'accounts.in': 'Signed in',
  'accounts.out': 'Signed out',
  'accounts.sign-out': 'Sign out',
  'accounts.forget': 'Remove from this browser',
  'accounts.guest-name': 'guest account',
  'accounts.save-guest': 'To keep the account instead, continue as a guest and save it.',
  'accounts.add': 'Use another account',
  'accounts.sign-out-all': 'Sign out of all accounts',
  'page.with': 'Continue to sign in?',
  'with.text': 'You followed a link from another site to sign in with {connection}.',
  'with.button': 'Continue to {connection}',
  'with.warning': 'If you didn’t expect this, close this page. You won’t be signed in.',
  'plain.sso': 'To sign in as {email}, use SSO.',
  'plain.sso-button': 'Continue with SSO',
  'plain.join': 'Choose the password you’ll sign in with from now on.',
  'plain.number': 'If you open the link on another device, enter the number {number} there.',
  'plain.check': 'I’ve confirmed the link on another device',
  'plain.unsaved':
    'Your new password hasn’t been saved yet. Confirm it’s you first, then enter the new password again.',
  'plain.unconfirmed': 'The link hasn’t been confirmed on another device yet.',
  'page.refused-app': 'This app can’t sign you in',
  'refused.redirect_not_allowed': 'The app’s address isn’t allowed here. Contact the app’s support team.',
  'refused.redirect_not_allowed-hint':
    'Add {url} to additional_redirect_urls in the [auth] section of supabase/config.toml, or use the address in site_url.',
  'refused.pkce_required': 'The app’s sign-in request is incomplete. Contact the app’s support team.',
  'refused.pkce_required-hint':
    'Send code_challenge and code_challenge_method=s256 together with redirect_to={url}. To return sessions in the URL fragment instead, set implicit_return = true in the [account] section of supabase/plinth.toml.',
  'refused.bad_code_challenge': 'The app’s sign-in request is incomplete. Contact the app’s support team.',
  'refused.bad_code_challenge-hint':
    'code_challenge must consist of 43 to 128 characters from A-Z a-z 0-9 . _ ~ -, and code_challenge_method must be s256 or plain.',
  'plain.mfa': 'Open your authenticator app and enter the code for {email} at {name}.',
  'plain.mfa-other':
    'To use another second step, or if you lost yours and have no recovery codes, turn on JavaScript and reload this page.',
  'plain.mfa-app': 'Use your authenticator app',
  'plain.as': 'Signed in as {who}.',
  'plain.as-guest': 'You’re using a guest account.',
  'plain.continue': 'Continue to {host}',
  'plain.continue-hint': 'You’ll be redirected in a moment. If nothing happens, use the link.',
  'plain.account': 'Your account',
  'plain.sign-out': 'Sign out',
  'plain.connected': 'Linked accounts',
  'plain.needs-scripts': 'To change your account settings, turn on JavaScript and reload this page.',
  'plain.back': 'Back to {name}',
  'plain.save-guest': 'To save your account instead, turn on JavaScript and open your account.',
  'plain.refused':
    'The page may have been open for too long, or the form didn’t come from this site. Nothing was changed. Open the page again and resubmit the form.',
  'plain.failed': 'Something went wrong on our side. Try again in a moment.',
  'plain.limited':
    'Too many requests came from your network. Nothing was changed. Wait a moment, then open the link again.',

  'page.organizations': 'Organizations',
  'page.invitation-open': 'You’re invited',
  'page.invitation-other': 'This invitation is for another address',
  'page.invitation-unverified': 'Confirm your email address first',
  'page.invitation-expired': 'This invitation has expired',
  'page.invitation-used': 'This invitation was already used',
  'page.invitation-none': 'Invitation not found',
  'page.invitation-member': 'You’re already a member',
  'organizations.guest': 'Guests can’t use organizations. Save your account or sign in first.',
  'field.organization-missing': 'Enter a name for the organization.',
  'field.slug-missing': 'Enter the organization’s short name.',
  'organizations.who': 'Signed in as {who}',
  'organizations.mine': 'Your organizations',
  'organizations.invitations': 'Invitations for you',
  'organizations.requests': 'Your requests to join',
  'organizations.waiting': 'Waiting for an answer',
  'organizations.withdraw': 'Withdraw',
  'organizations.as': 'As {role}',
  'organizations.open-mail': 'To accept, open the link in the email.',
  'organizations.current': '{role} · Current organization',
  'organizations.switch': 'Switch',
  'organizations.none':
    'You aren’t a member of an organization yet. Create one, or ask an organization’s admin to invite you.',
  'organizations.available': 'Organizations you can join',
  'organizations.available-why': 'For people with an address at {domain}',
  'organizations.available-join': 'Join',
  'organizations.available-request': 'Ask to join',
  'field.organization-closed':
    'You can’t join this organization with your email address. Ask a member to invite you.',
  'organizations.create-title': 'Create an organization',
  'organizations.name': 'Name of the organization',
  'organizations.create': 'Create organization',
  'organizations.ask-title': 'Ask to join an organization',
  'organizations.slug': 'Short name',
  'organizations.slug-hint': 'You’ll get the short name from a member, for example acme.',
  'organizations.message': 'Message to the admins (optional)',
  'organizations.ask': 'Send request',
  'organizations.created': 'Organization created. You’ve switched to it.',
  'organizations.switched': 'You’ve switched to another organization.',
  'organizations.joined': 'You’ve joined the organization.',
  'organizations.declined': 'Invitation declined.',
  'organizations.requested': 'Request sent. You’ll see the organization here once an admin approves it.',
  'organizations.withdrawn': 'Request withdrawn.',
  'organizations.left': 'You’ve left the organization.',
  'organizations.deleted': 'Organization deleted.',
  'invitation.text': 'You’ve been invited to join {organization}. Your role: {role}.',
  'invitation.join': 'Join {organization}',
  'invitation.decline': 'Decline',
  'invitation.other': 'Use another account',
  'invitation.sign-in':
    'To accept the invitation, sign in as {email}, or create an account with this address.',
  'invitation.sign-in-link': 'To accept the invitation, sign in or create an account.',
  'invitation.wrong': 'The invitation is for {email}. You’re signed in as {who}.',
  'invitation.unverified':
    'The invitation is for {email}, and this address of your account isn’t confirmed yet.',
  'invitation.expired': 'Ask the person who invited you to {organization} to send another invitation.',
  'invitation.used':
    'If you’ve already joined {organization}, open your organizations. Otherwise, ask for another invitation.',
  'invitation.none': 'The link is incomplete, or the invitation was withdrawn. Ask for another invitation.',
  'invitation.member': 'Your account is already a member of {organization}.',
  'invitation.to-list': 'Your organizations',
} as const;
